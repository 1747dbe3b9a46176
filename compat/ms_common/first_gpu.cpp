#include "compat/ms_common/first_gpu.h"

#include <charconv>
#include <limits>

namespace csink::ms {
namespace {

constexpr std::string_view kComponent = "nvml:::", kDevice = ":device_";

}  // namespace

unsigned DeviceNumber(std::string_view event) {
  const std::size_t place = event.rfind(kDevice);
  unsigned number = 0;
  if (place == std::string_view::npos) return number;
  const std::string_view digits = event.substr(place + kDevice.size());
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return number;
}

std::string FirstGpuPrefix(const apapi_eventset* set) {
  unsigned smallest = std::numeric_limits<unsigned>::max();
  std::string prefix;
  for (int i = 0; i < set->num_events; ++i) {
    const std::string_view name = set->event_ops[i].event_name ? set->event_ops[i].event_name : "";
    const std::size_t colon = name.rfind(':');
    if (!name.starts_with(kComponent) || colon < kComponent.size()) continue;
    const unsigned number = DeviceNumber(name);
    if (number >= smallest) continue;
    smallest = number;
    prefix = name.substr(0, colon + 1);
  }
  return prefix;
}

}  // namespace csink::ms
