#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compat/apapi/include/apapi.h"

namespace csink::ms {

/// The part of the event names that precedes the metric ("nvml:::Tesla_K20c:" or
/// "nvml:::NVIDIA_H200:device_0:"), for the GPU of the set with the smallest device number; of
/// equal numbers the first in the set. `cards`: result of GpuPrefixes, for names without a number.
/// "": the set has no event of a GPU.
std::string FirstGpuPrefix(const apapi_eventset* set, std::span<const std::string> cards);

/// The prefixes of this machine's GPUs in the driver's order. Empty: no GPU, or PAPI is not
/// initialised.
std::vector<std::string> GpuPrefixes();

/// The device number of a prefix: the number in it, or else derived from its place in `cards` (one
/// more than the card before it). 0: the prefix is not in `cards`.
unsigned DeviceNumber(std::string_view prefix, std::span<const std::string> cards);

}  // namespace csink::ms
