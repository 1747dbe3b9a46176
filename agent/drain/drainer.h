#pragma once

#include <signal.h>
#include <sys/types.h>

#include <atomic>
#include <cstdint>

#include "agent/devices/meter.h"
#include "agent/moments/threads.h"
#include "agent/process/drain_signal.h"
#include "agent/process/process_state.h"
#include "agent/sampling/sampled_events.h"
#include "agent/settings/config.h"
#include "core/perf/kernel.h"
#include "core/sampling/ring_source.h"
#include "core/sampling/thread_registry.h"
#include "core/sampling/timer_source.h"
#include "profil/collector/collector.h"
#include "profil/spool/writer.h"

namespace csink::agent {

/// Who moves samples from the rings to the spool while the program runs, and when.
///
/// A process with one thread drains itself: a timer on that thread's CPU clock sends the drain
/// signal every 100 ms of CPU time, and the handler drains. With the timer source every
/// kTicksPerDrain-th tick does so, and there is no drain timer. With several threads the agent
/// thread sweeps all rings instead; the timer takes over again once the program has one thread for
/// some time. Nothing else polls.
///
/// The agent thread exists only while the program itself has several threads: in a process with
/// one thread the C library is faster, and unshare and setns work. It sweeps every 200 ms, sooner
/// at high rates and while rings fill faster. Alternative considered: an epoll descriptor. That
/// would be the only descriptor of ours that stays open; a program that closes all descriptors
/// could get its own file under that number, and each thread would pay 5 us to enter it.
///
/// Owns:    the drain timer, the agent thread, the stack of the handler.
/// Threads: any, but OnSignal (the one that got the signal). Locks: takes the collector's, never
///          while another is held. Signals: what lies in drainer_signal.cpp is safe.
class Drainer {
 public:
  Drainer(const ProcessState& process, Kernel& kernel, ThreadRegistry& registry, RingSource& rings,
          TimerSource& timers, SpoolWriter& spool, Collector& collector, Meter& meter,
          SampledEvents& events, Threads& threads, const Config& config) noexcept
      : process_(process),
        kernel_(kernel),
        registry_(registry),
        rings_(rings),
        timers_(timers),
        spool_(spool),
        collector_(collector),
        meter_(meter),
        events_(events),
        threads_(threads),
        config_(config) {}

  /// At the start and in a forked child. `several`: the process has other threads already.
  void Start(bool several) noexcept;
  /// Before the program makes a thread: from the first one on the agent thread drains.
  void StartThread() noexcept;
  /// A thread is about to be made past our hooks: the agent thread searches every 5 ms, some times.
  void SearchSoon() noexcept;
  /// A thread has begun. Its first event may fire sixteen times too often until it is replaced: a
  /// long sleep of the agent thread ends.
  void SweepSoon() noexcept;
  /// Before the only thread that we know waits for another one, which may be unknown. A pointer or
  /// two to look at while the agent thread drains.
  void BeforeJoin() noexcept;

  /// The drain signal, in the thread that got it. False: not sent by a timer of ours. Signals: it
  /// is a handler.
  bool OnSignal(const siginfo_t& info, const void* context) noexcept;
  /// No drain signal comes from the drain timer any more.
  void StopTimer() noexcept;
  /// The drain signal cannot be used any more: the agent thread takes over.
  void ReplaceSignal() noexcept;

  /// The process has ended: the agent thread wakes up and goes. One system call; none in a sandbox.
  void WakeForEnd() noexcept;
  /// In a forked child: there is no timer and no agent thread.
  void ForgetAfterFork() noexcept;

  /// The body of the agent thread.
  void RunThread() noexcept;

  /// Of CPU time of the main thread between two drains.
  static constexpr std::uint64_t kDrainIntervalNs = 100'000'000;
  /// The first drain where another event than a clock is to be given its full period.
  static constexpr std::uint64_t kFirstDrainNs = 10'000'000;
  static constexpr std::uint64_t kSoonestDrainNs = 1'000'000;
  /// Between two sweeps of the agent thread.
  static constexpr std::uint64_t kSweepIntervalNs = 200'000'000;
  /// 100 ms at a tick rate of 250 Hz; a soft ring holds 510 ticks.
  static constexpr unsigned kTicksPerDrain = 25;

 private:
  enum class By : unsigned char { kNobody, kTimer, kAgentThread };

  void StartTimer(pid_t tid) noexcept;
  void SetTimer(pid_t tid, std::uint64_t spent_ns = 0) noexcept;
  std::uint64_t DrainIntervalNs() const noexcept;
  std::uint64_t EarlySpentNs(pid_t tid, long cpu_ns) noexcept;
  void DrainMeasured() noexcept;
  void Wake() noexcept;
  void LookAfterTasks(std::size_t tasks, bool thorough) noexcept;
  std::uint64_t LongestSweepNs() const noexcept;

  const ProcessState& process_;
  Kernel& kernel_;
  ThreadRegistry& registry_;
  RingSource& rings_;
  TimerSource& timers_;
  SpoolWriter& spool_;
  Collector& collector_;
  Meter& meter_;
  SampledEvents& events_;
  Threads& threads_;
  const Config& config_;

  std::atomic<By> by_{By::kNobody};
  std::atomic<std::uint32_t> wake_{0};  ///< Changes when the agent thread must look up; a futex
  std::atomic<bool> sleeps_long_{false};
  std::atomic<unsigned> searches_{0};  ///< To come soon, for threads made past our hooks
  std::atomic<bool> thread_starting_{false};
  int timer_ = -1;  ///< Its address is the value of the drain timer's signals
  unsigned ticks_ = 0;
};

}  // namespace csink::agent
