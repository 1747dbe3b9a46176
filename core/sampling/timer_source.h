#pragma once

#include <signal.h>

#include "core/sampling/sample_sink.h"
#include "core/util/result.h"

namespace csink {

/// The fall-back where perf_event_open is refused: a POSIX timer on each
/// thread's own CPU clock, a signal at every tick, the PC out of the signal's
/// context. CPU timers move at the kernel's HZ (100 to 1,000 a second): each hit
/// is weighted by 1 + overrun, the obtained rate is in the report.
///
/// Never ITIMER_PROF: it survives exec and kills the new image, and it is one
/// for all threads. Only one column: the clock.
///
/// The signal is ignored by default (SIGURG), so that a program that resets
/// every disposition, or an image that has just been exec'd, survives a late one.
///
/// Threads: as RingSource. Tick: the sampled thread, in the signal's handler.
/// Signals: safe (timer_source_signal.cpp).
class TimerSource {
 public:
  TimerSource(Kernel& kernel, ThreadRegistry& registry, int signal) noexcept
      : kernel_(kernel), registry_(registry), signal_(signal) {}

  void Configure(std::uint64_t period_ns) noexcept { period_ns_ = period_ns; }
  std::uint64_t period_ns() const noexcept { return period_ns_; }

  /// Starts sampling thread `tid` into `slot`. Fails with kLimit (RLIMIT_SIGPENDING, memory).
  Result<void> Arm(ThreadSlot& slot, pid_t tid) noexcept;
  /// Stops and frees; what was not drained is lost.
  void Disarm(ThreadSlot& slot) noexcept;
  void Drain(ThreadSlot& slot, SampleSink& sink) noexcept;

  /// From the signal handler, on the sampled thread. True when `info` is one of
  /// our ticks; then the sample is in the slot's soft ring.
  bool Tick(const siginfo_t& info, const void* context) noexcept;

  /// After fork the timers do not exist.
  static void Forget(ThreadSlot& slot) noexcept { slot.timer = -1; }

 private:
  Kernel& kernel_;
  ThreadRegistry& registry_;
  int signal_;
  std::uint64_t period_ns_ = 1'000'003;
};

/// The interrupted instruction of a ucontext_t. Signals: safe.
std::uint64_t ContextPc(const void* context) noexcept;

}  // namespace csink
