#include "symbolizer/report/verdict/remarks.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "profil/model/saturating.h"
#include "symbolizer/report/verdict/verdict.h"
#include "symbolizer/report/wording/numbers.h"

namespace csink::report {
namespace {

/// From these on, the time is mentioned in the verdict.
constexpr double kLeastShare = 0.05;
constexpr double kLeastSeconds = 0.01;

/// Identifies the process of an image. Its images are sorted by start time.
using Key = std::tuple<std::string, std::uint32_t, std::uint64_t>;

}  // namespace

BeforeAgent TimeBeforeAgent(const Profile& profile) {
  std::map<Key, std::vector<const ProcessRow*>> processes;
  for (const ProcessRow& row : profile.processes) {
    processes[{row.host, row.pid, row.start_ticks}].push_back(&row);
  }
  std::uint64_t before_ns = 0;
  for (auto& [key, images] : processes) {
    // In the order in which they followed each other by execve.
    std::stable_sort(images.begin(), images.end(), [](const ProcessRow* a, const ProcessRow* b) {
      return a->start_monotonic_ns < b->start_monotonic_ns;
    });
    std::uint64_t end_ns = 0;  // End of the image before
    for (const ProcessRow* image : images) {
      std::uint64_t start_ns = image->start_user_ns;
      AddTo(start_ns, image->start_system_ns);
      // A value below that of the image before: the pid belongs to another process now.
      AddTo(before_ns, start_ns < end_ns ? start_ns : start_ns - end_ns);
      end_ns = image->user_ns;
      AddTo(end_ns, image->system_ns);
    }
  }
  const CpuSeconds total = TotalCpu(profile);
  return {Seconds(before_ns), total.user + total.system};
}

std::string BeforeAgentLine(const Profile& profile) {
  const BeforeAgent before = TimeBeforeAgent(profile);
  if (before.seconds < kLeastSeconds || before.seconds <= kLeastShare * before.cpu_seconds) {
    return "";
  }
  return Duration(before.seconds) + " of " + Duration(before.cpu_seconds) +
         " of CPU time passed before the agent was loaded (exec, dynamic linking): not sampled, "
         "not part of the verdict";
}

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
