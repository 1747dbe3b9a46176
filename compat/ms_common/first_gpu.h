#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compat/apapi/include/apapi.h"

namespace csink::ms {

/// What stands before the metric in the names of the first GPU of a set ("nvml:::Tesla_K20c:" or
/// "nvml:::NVIDIA_H200:device_0:"): the smallest device number, whatever the name; of equals the
/// one that stands first wins. `cards`: GpuPrefixes(). "" when there is none.
std::string FirstGpuPrefix(const apapi_eventset* set, std::span<const std::string> cards);

/// The prefixes of this machine's GPUs, in the driver's order. Needs an initialised PAPI, else
/// none.
std::vector<std::string> GpuPrefixes();

/// The device number of a prefix: the one in it; else that of its place in `cards`, where a card
/// comes after the one before it; 0 for a name that is not there.
unsigned DeviceNumber(std::string_view prefix, std::span<const std::string> cards);

}  // namespace csink::ms
