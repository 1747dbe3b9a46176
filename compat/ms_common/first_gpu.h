#pragma once

#include <string>
#include <string_view>

#include "compat/apapi/include/apapi.h"

namespace csink::ms {

/// What stands before the metric in the names of the first GPU of a set ("nvml:::Tesla_K20c:" or
/// "nvml:::NVIDIA_H200:device_0:"): the smallest device number, whatever the name; names without a
/// number have 0, and of equals the one that stands first wins. "" when there is none.
std::string FirstGpuPrefix(const apapi_eventset* set);

/// The device number in a name, 0 without.
unsigned DeviceNumber(std::string_view event);

}  // namespace csink::ms
