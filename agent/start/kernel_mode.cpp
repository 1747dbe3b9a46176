#include "agent/settings/complain.h"
#include "agent/start/sampled_events.h"
#include "core/util/parse.h"
#include "core/util/small_file.h"

/// File: CSINK_KERNEL=1: samples of kernel mode, where the kernel permits it. Through the ring
/// source alone: a signal for each sample would interrupt system calls, and one that is pending
/// over exec would kill the new image.

namespace csink::agent {

void SampledEvents::IncludeKernelMode() noexcept {
  if (!config_.kernel) return;
  for (std::size_t i = 0; i < list_.count; ++i) {
    EventSpec& spec = list_.events[i];
    if (!spec.level_given) spec.exclude_kernel = false;
  }
}

bool SampledEvents::GiveUpKernelMode(const Error& why) noexcept {
  if (!config_.kernel || why.code != Errc::kPermission) return false;
  config_.kernel = false;
  kernel_mode_refused_ = true;
  for (std::size_t i = 0; i < list_.count; ++i) {
    EventSpec& spec = list_.events[i];
    // Events that happen in kernel mode only included it already before CSINK_KERNEL.
    if (!spec.level_given && !spec.exclude_user && !spec.kernel_only) spec.exclude_kernel = true;
  }
  return true;
}

void SampledEvents::SayWhyNoKernelMode() noexcept {
  // The settings in the spool must say what was sampled, so the request is withdrawn there, too.
  if (!source_->perf_events && config_.kernel) {
    config_.kernel = false;
    kernel_mode_refused_ = true;
  }
  if (!kernel_mode_refused_) return;
  // A forked child comes here again and must not repeat the line.
  kernel_mode_refused_ = false;
  Text<256> line;
  line.Add("kernel mode is not sampled (CSINK_KERNEL): ");
  if (!source_->perf_events) {
    line.Add(
        "kernel mode needs perf_event_open, which is not available (csink doctor shows the "
        "reason)");
  } else {
    const SmallFile<32> file("/proc/sys/kernel/perf_event_paranoid");
    std::string_view level = Trimmed(file.view());
    line.Add("not permitted");
    if (!level.empty()) line.Add(" at kernel.perf_event_paranoid=").Add(level);
    line.Add("; sudo sysctl kernel.perf_event_paranoid=1 permits it");
  }
  Complain(line.view());
}

}  // namespace csink::agent
