#pragma once

#include <signal.h>
#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <string_view>

#include "agent/devices/meter.h"
#include "agent/process/drain_signal.h"
#include "agent/process/process_state.h"
#include "agent/settings/config.h"
#include "agent/start/sampled_events.h"
#include "agent/threads/threads.h"
#include "core/perf/kernel.h"
#include "core/sampling/ring_source.h"
#include "core/sampling/thread_registry.h"
#include "core/sampling/timer_source.h"
#include "profil/inside/collector/collector.h"
#include "profil/inside/spool/writer.h"

namespace csink::agent {

/// Decides when samples are moved from the rings to the spool while the program runs, and by which
/// thread.
///
/// A process with one thread drains itself: a timer on that thread's CPU clock sends the drain
/// signal every 100 ms of CPU time, and the handler drains. With a source that drains itself (the
/// timer source) every kTicksPerDrain-th tick does so, and there is no drain timer. With several
/// threads the agent thread sweeps all rings instead. The timer replaces it when the program has
/// had one thread for 0.7 s. Nothing else polls.
///
/// The agent thread exists only while the program itself has several threads: in a process with one
/// thread the C library is faster, and unshare and setns work. It sweeps every 200 ms, sooner at
/// high rates and while rings fill faster. An epoll descriptor was considered: the agent keeps no
/// other descriptor open, a program that closes all descriptors could get a file of its own under
/// that number, and adding a thread to it costs 5 us (docs/design/agent.md).
///
/// Owns:    the drain timer, the agent thread, the stack of the handler.
/// Threads: any; OnSignal on the thread that received the signal. Locks: takes the collector's
///          lock, never while it holds another one.
/// Signals: functions in drainer_signal.cpp are safe.
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
  /// Before the program creates a thread. From the first one on, the agent thread drains.
  void StartThread() noexcept;
  /// The kernel refused a task to the program (EAGAIN), and the agent thread may have taken the
  /// last place: ends the agent thread, waits for its end (1 s at most) and lets the timer drain
  /// instead. The agent thread is started again with the first thread that the program creates
  /// after one has ended, or after it has created one where the yield was in vain. Returns true if
  /// the agent thread has ended; false if there was none, also in a sandbox or a vfork child.
  bool YieldThread() noexcept;
  /// The kernel refused the task again after the yield: it is not the agent thread's place that is
  /// missing.
  void YieldedInVain() noexcept { in_vain_.store(true, std::memory_order_relaxed); }
  /// The program has created a thread. Starts the agent thread if it yielded in vain: not before
  /// the creation, because then it could again be taken for the cause of a refusal.
  void ThreadCreated() noexcept;
  /// The process counts as sandboxed from now on, but the kernel does not forbid anything yet:
  /// waits until the agent thread rests, 1 s at most. After that it makes no system call but its
  /// wait.
  void WaitForRest() noexcept;
  /// A thread of the program has ended, so there may be room for the agent thread again.
  void ThreadEnded() noexcept { no_room_.store(false, std::memory_order_relaxed); }
  /// The program is about to create a thread by a system call that the hooks do not see. The agent
  /// thread then searches for it every 5 ms, a limited number of times.
  void SearchSoon() noexcept;
  /// A thread has begun. Ends a long sleep of the agent thread, because the thread's first event
  /// may fire sixteen times as often as needed until a drain replaces it.
  void SweepSoon() noexcept;
  /// Before this thread waits for another one. If the registry has this thread only, the thread
  /// that it waits for is not registered, and the agent thread is started to search for it. Costs
  /// two loads while the agent thread drains.
  void BeforeJoin() noexcept;

  /// The handler of the drain signal, on the thread that received it. Returns false if no timer of
  /// the agent sent the signal. Signals: safe.
  bool OnSignal(const siginfo_t& info, const void* context) noexcept;
  /// Stops the drain timer.
  void StopTimer() noexcept;
  /// Stops all timers that send the drain signal, for good: the drain timer and those of the timer
  /// source. The first call does it. Does nothing in a sandbox or a vfork child. `why`: printed if
  /// CPU timers are the only source.
  void StopTicks(std::string_view why) noexcept;
  /// Before the program handles the drain signal: gives the timers of the timer source another
  /// signal. Returns false, with nothing changed, where there is none, or rings are the source
  /// (StopTicks and ReplaceSignal do it then). Also in a sandbox and in a vfork child.
  bool MoveTicks() noexcept;
  /// Makes the agent thread drain, because the drain signal cannot be used any more.
  void ReplaceSignal() noexcept;

  /// At the end of the process: wakes the agent thread, which then exits. One system call; none in
  /// a sandbox.
  void WakeForEnd() noexcept;
  /// In a forked child, which has neither the timer nor the agent thread.
  void ForgetAfterFork() noexcept;

  /// The body of the agent thread.
  void RunThread() noexcept;

  /// CPU time of the main thread between two drains by the timer, 100 ms: the most that kill -9
  /// loses of a process with one thread.
  static constexpr std::uint64_t kDrainIntervalNs = 100'000'000;
  /// CPU time before the first drain, 10 ms, if an event that is not a clock needs its full period:
  /// such an event has no time of its own at which the replacement is due.
  static constexpr std::uint64_t kFirstDrainNs = 10'000'000;
  /// The shortest CPU time from one drain by the timer to the next, 1 ms.
  static constexpr std::uint64_t kSoonestDrainNs = 1'000'000;
  /// Wall time between two sweeps of the agent thread, 200 ms, when one core is busy. With more
  /// busy cores it is divided by their number.
  static constexpr std::uint64_t kSweepIntervalNs = 200'000'000;
  /// The longest of these intervals with CSINK_CRITICAL: switches fill the rings, and moments the
  /// buffers, independent of the events' rates.
  static constexpr std::uint64_t kTimedIntervalNs = 20'000'000;
  /// Ticks of the timer source between two drains: 100 ms at a tick rate of 250 Hz. A soft ring
  /// holds 510 ticks.
  static constexpr unsigned kTicksPerDrain = 25;

 private:
  /// Which of the two drains at present. kNobody: the timer source, whose ticks drain, or no timer
  /// could be made and the process is drained at its end only.
  enum class By : unsigned char { kNobody, kTimer, kAgentThread };

  /// Makes the drain timer for thread `tid`, or starts the agent thread where a timer cannot be
  /// used.
  void StartTimer(pid_t tid) noexcept;
  /// Sets the timer to the next drain; `spent_ns` of the interval are over.
  void SetTimer(pid_t tid, std::uint64_t spent_ns = 0) noexcept;
  /// Half of the main thread's ring at the events' rates, at most kDrainIntervalNs, at least
  /// kSoonestDrainNs.
  std::uint64_t DrainIntervalNs() const noexcept;
  /// The part of a thread's first drain interval that has passed, in a process that will probably
  /// leave a small record; 0: another process.
  std::uint64_t EarlySpentNs(pid_t tid, long cpu_ns) noexcept;
  /// The drain of OnSignal, on the stack of this class, with its CPU time added to the agent's own
  /// cost.
  void DrainMeasured() noexcept;
  void Wake() noexcept;
  /// A sweep of the agent thread. Returns with the collector's lock, which it takes several times.
  void DrainInTurns(pid_t tid) noexcept;
  /// Adopts unknown threads and retires ended ones, as far as the number of tasks gives cause.
  void LookAfterTasks(std::size_t tasks, bool thorough) noexcept;
  /// The upper bound of the agent thread's interval.
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
  std::atomic<std::uint32_t> wake_{0};  ///< A futex; changes to wake the agent thread
  /// The agent thread waits longer than the first sweep of a new thread may take
  std::atomic<bool> sleeps_long_{false};
  std::atomic<unsigned> searches_{0};  ///< Searches left to do, for unregistered threads
  /// A thread is inside StartThread, so that only one agent thread is made
  std::atomic<bool> thread_starting_{false};
  /// The agent thread is not in its wait: it may be about to make a system call
  std::atomic<bool> working_{false};
  /// The agent thread must end now: the program needs its place
  std::atomic<bool> yields_{false};
  /// The kernel has refused a task while the agent thread existed: no agent thread is started
  std::atomic<bool> no_room_{false};
  /// no_room_ was set for a refusal that the agent thread was not the cause of
  std::atomic<bool> in_vain_{false};
  /// The failure to start the agent thread was printed
  bool said_failure_ = false;
  /// Id of the drain timer; -1: none. The address of this member is the value (si_value) of the
  /// timer's signals, by which OnSignal knows them
  int timer_ = -1;
  /// Ticks of the timer source since the start
  unsigned ticks_ = 0;
};

}  // namespace csink::agent
