#pragma once

#include <signal.h>

#include "core/sampling/overflow_source.h"

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
class TimerSource final : public OverflowSource {
 public:
  TimerSource(Kernel& kernel, ThreadRegistry& registry, int signal) noexcept
      : kernel_(kernel), registry_(registry), signal_(signal) {}

  const char* name() const noexcept override { return "timer"; }
  void Configure(std::uint64_t period_ns) noexcept { period_ns_ = period_ns; }
  std::uint64_t period_ns() const noexcept { return period_ns_; }

  /// Fails with kLimit (RLIMIT_SIGPENDING, memory) or kSystem.
  Result<void> Arm(ThreadSlot& slot, pid_t tid) noexcept override;
  void Disarm(ThreadSlot& slot) noexcept override;
  void Drain(ThreadSlot& slot, SampleSink& sink) noexcept override;

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
