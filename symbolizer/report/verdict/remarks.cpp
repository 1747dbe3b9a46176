#include "symbolizer/report/verdict/remarks.h"

#include <algorithm>
#include <vector>

#include "symbolizer/report/wording/numbers.h"

namespace csink::report {
namespace {

/// Of an event's weight; below, the kernel samples are not mentioned.
constexpr double kLeastLateShare = 0.005;
constexpr char kKernelModule[] = "[kernel]";  // RegionIndex::kKernelName

}  // namespace

std::string LateInterruptsLine(const Profile& profile, bool system_is_sampled) {
  // Kernel addresses are then what was asked for.
  if (system_is_sampled) return "";
  std::vector<double> in_kernel(profile.events.size());
  for (const Place& place : profile.places) {
    if (profile.modules[place.address.module].path != kKernelModule) continue;
    for (std::size_t i = 0; i < in_kernel.size(); ++i) {
      in_kernel[i] += static_cast<double>(place.counts[i].weight);
    }
  }
  double largest = 0;
  for (std::size_t i = 0; i < in_kernel.size(); ++i) {
    // Events that occur only in the kernel are sampled there correctly: context-switches,
    // "cycles:k".
    const std::string& name = profile.events[i].name;
    const auto colon = name.rfind(':');
    const bool user = colon != std::string::npos && name.find('u', colon) != std::string::npos &&
                      name.find('k', colon) == std::string::npos;
    const auto all = static_cast<double>(profile.events[i].weight);
    if (user && all > 0) largest = std::max(largest, in_kernel[i] / all);
  }
  if (largest < kLeastLateShare) return "";
  return Percent(largest) +
         " in [kernel] although system time is not sampled: the event occurred in user mode, but "
         "the interrupt was late, and the program was in the kernel by then";
}

}  // namespace csink::report
