#include "agent/critical/moments.h"

#include <time.h>

#include "core/machine/clocks.h"
#include "core/util/raw_log.h"

/// File: the begin of the recording.

namespace csink::agent {

void Moments::Use(CriticalHooks& hooks, bool (*is_ours)(pid_t tid)) noexcept {
  is_ours_ = is_ours;
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  const auto shift_ns = static_cast<std::int64_t>(MonotonicNs()) -
                        (static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec);
  // Less than that is the time between the two calls; namespaces are shifted by the uptimes of
  // machines.
  constexpr std::int64_t kSame = 1'000'000'000;
  hooks.shift_ns = shift_ns > kSame || shift_ns < -kSame ? shift_ns : 0;
  hooks.begin_thread = BeginThreadOfHooks;
  PublishMoments(this);
  hooks_ = &hooks;
}

void Moments::Start(Collector& collector, bool (*is_ours)(pid_t tid)) noexcept {
  CriticalHooks* const hooks = TheCriticalHooks();
  if (!hooks) {
    RawLog(LogLevel::kWarn,
           "CSINK_CRITICAL sees no waits: libcsink-critical.so must be in LD_PRELOAD, too (csink "
           "run --critical puts it there)");
    collector.RecordTimes(nullptr);
    return;
  }
  Use(*hooks, is_ours);
  collector.RecordTimes(this);
}

}  // namespace csink::agent
