#pragma once

#include <signal.h>

#include <atomic>

#include "core/sampling/sample_sink.h"
#include "core/util/result.h"

namespace csink {

/// The fall-back where perf_event_open is refused: a POSIX timer on each thread's own CPU clock, a
/// signal at each tick, and the PC from the signal's context. CPU timers expire at the kernel's HZ
/// (100 to 1,000 a second), so each sample is weighted by 1 + the overrun, and the obtained rate is
/// in the report.
///
/// ITIMER_PROF is not used: it survives exec and ends the new image, and there is only one for all
/// threads. There is only one column: the clock.
///
/// The signal is ignored by default (SIGURG, SIGWINCH), so that a late signal does nothing in a
/// program that resets every disposition, or in an image that has just been exec'd.
///
/// Owns:    nothing: timer and soft ring belong to the slot.
/// Threads: as RingSource. Tick: the sampled thread, in the signal's handler.
/// Signals: safe (timer_source_signal.cpp).
class TimerSource {
 public:
  TimerSource(Kernel& kernel, ThreadRegistry& registry, int signal) noexcept
      : kernel_(kernel), registry_(registry), signal_(signal) {}

  /// Sets the period in ns of CPU time for all threads. Must be called before the first Arm.
  void Configure(std::uint64_t period_ns) noexcept { period_ns_ = period_ns; }
  std::uint64_t period_ns() const noexcept { return period_ns_; }
  /// Samples have times (SampleSink::OnTime). Must be called before the first Arm.
  void set_timed(bool on) noexcept { timed_ = on; }
  /// The signal of timers that are armed from now on. Threads: any.
  void SetSignal(int signal) noexcept { signal_.store(signal, std::memory_order_release); }
  int signal() const noexcept { return signal_.load(std::memory_order_acquire); }

  /// Starts sampling thread `tid` into `slot`. Errors: kLimit (RLIMIT_SIGPENDING, memory).
  Result<void> Arm(ThreadSlot& slot, pid_t tid) noexcept;
  /// Deletes the timer. Samples that were not drained stay in the soft ring until Drain or the next
  /// Arm.
  void Disarm(ThreadSlot& slot) noexcept;
  /// Passes the samples to `sink`, as column 0; those that found the ring full as lost.
  void Drain(ThreadSlot& slot, SampleSink& sink) noexcept;

  /// Called by the signal handler, on the sampled thread. Returns true if `info` is one of our
  /// ticks; its sample is then in the slot's soft ring, or counted as dropped. Returns false for a
  /// signal that is not ours, or that a deleted timer sent.
  bool Tick(const siginfo_t& info, const void* context) noexcept;

  /// For a forked child, which does not inherit timers.
  static void Forget(ThreadSlot& slot) noexcept { slot.timer = -1; }

 private:
  Kernel& kernel_;
  ThreadRegistry& registry_;
  std::atomic<int> signal_;
  /// As kDefaultClockPeriodNs (core/events/event_spec.h): a prime, so that ticks do not stay in
  /// step with loops of the program.
  std::uint64_t period_ns_ = 1'000'003;
  bool timed_ = false;
};

/// The interrupted instruction of a ucontext_t, the third argument of a signal handler. Signals:
/// safe.
std::uint64_t ContextPc(const void* context) noexcept;

}  // namespace csink
