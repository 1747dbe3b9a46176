#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <string_view>

#include "agent/process/process_state.h"
#include "agent/process/start_state.h"
#include "agent/settings/config.h"
#include "agent/start/source_facts.h"
#include "core/perf/kernel.h"
#include "core/sampling/core_kinds.h"
#include "core/sampling/ring_source.h"
#include "core/sampling/thread_registry.h"
#include "core/sampling/timer_source.h"
#include "core/util/text.h"
#include "profil/inside/collector/collector.h"

namespace csink::agent {

/// Which events are sampled, by which source, and how a thread's events are armed.
///
/// At the start the events come from CSINK_EVENTS, or are chosen by what the machine offers. Arming
/// the main thread tries them: an event that the kernel refuses is left out, and where perf_event
/// cannot be used at all the timer source replaces the ring source for all threads. After that the
/// list changes once at most, when events that count nothing are replaced by the clock.
///
/// Owns:    the list of events and the choice of source. The sources themselves belong to the
///          agent.
/// Threads: Choose and ArmMain: the main thread, while no other part works. Arm: the new thread,
///          the thread that adopts it, or a thread that holds the collector's lock, for a slot that
///          rests. The rest as said.
/// Signals: functions in *_signal.cpp are safe.
class SampledEvents {
 public:
  SampledEvents(const ProcessState& process, Kernel& kernel, ThreadRegistry& registry,
                RingSource& rings, TimerSource& timers, SpoolWriter& spool, Collector& collector,
                Config& config, StartState& start_state) noexcept
      : process_(process),
        kernel_(kernel),
        registry_(registry),
        rings_(rings),
        timers_(timers),
        spool_(spool),
        collector_(collector),
        config_(config),
        start_state_(start_state) {}

  /// Reads CSINK_EVENTS, reduces rates to the kernel's limit and includes kernel mode. Called once.
  /// Prints a line for each thing that cannot be had as asked.
  /// `kinds`: of a hybrid processor's cores, on each of which generic events are sampled; nullptr:
  /// they are read if there are other events than the clock.
  void Choose(const CoreKinds* kinds = nullptr) noexcept;
  /// Arms the main thread with the events and the source that can be had, and prints what cannot.
  /// Returns true if the thread is sampled, or if a pause has closed the events. At the start and
  /// in a forked child.
  bool ArmMain(ThreadSlot& slot, pid_t tid) noexcept;
  /// Tells the collector which event is the clock, and its period: the time that the samples stand
  /// for is compared with the CPU time. After ArmMain.
  void DescribeClock() noexcept;

  /// Arms another thread, `tid`, by the ring source or, where a ring cannot be had, by a timer.
  /// Returns false if the thread is not sampled. In a pause that rests nothing is opened and true
  /// is returned.
  bool Arm(ThreadSlot& slot, pid_t tid) noexcept;
  /// In a process with one thread whose events have counted nothing in 50 ms of user time: samples
  /// the clock from here on. Under the collector's lock, on that thread, not in a sandbox.
  void LeaveEventsThatDoNotCount() noexcept;

  /// From now on no CPU timer is armed. Returns false if an earlier call forbade them. Threads:
  /// any.
  bool ForbidTimers() noexcept {
    return !timers_forbidden_.exchange(true, std::memory_order_acq_rel);
  }
  /// Drains all threads that have a CPU timer and removes the timers. After ForbidTimers, with all
  /// signals blocked; takes the collector's lock. `why`: printed if CPU timers are the only source.
  void TakeTimersAway(std::string_view why) noexcept;
  /// Changes the signal of all CPU timers: drains and removes them, calls `move`, which changes the
  /// handler, and arms the threads again. With all signals blocked; takes the collector's lock.
  /// Returns false, with nothing changed, if timers are forbidden or the lock is not free for 2 s.
  bool MoveTimers(int signal, void (*move)() noexcept) noexcept;
  /// False if RLIMIT_RTTIME is 0: the kernel would end the program for a CPU timer. One system
  /// call.
  static bool CpuTimersAreSurvivable() noexcept;

  /// The source for all threads. Where it cannot sample a single thread, that thread has a CPU
  /// timer.
  const SourceFacts& source() const noexcept { return *source_; }
  /// The events that are sampled, at least one after Choose; their order is that of the spool's
  /// columns.
  const EventList& list() const noexcept { return list_; }
  /// Why these events and this source, for the report.
  const Text<256>& source_reason() const noexcept { return source_reason_; }
  /// The device counters in CSINK_EVENTS, separated by commas; empty: none.
  std::string_view metered() const noexcept { return metered_.view(); }
  /// CPU time in ns that a sample of the clock stands for; 0: no clock is sampled, or it has a
  /// frequency.
  std::uint64_t ClockPeriodNs() const noexcept;

 private:
  /// Fills list_ from CSINK_EVENTS or by choice, with the reason for the report.
  void Read() noexcept;
  /// True if CSINK_EVENTS names no event to sample.
  bool ChoosesItself() const noexcept;
  /// Replaces the list by the clock. `why`: for the report.
  void SampleClockInstead(const char* why) noexcept;
  /// Removes event number `failed` from the list and prints why; without a further event the clock
  /// remains.
  void LeaveOut(std::size_t failed, const Error& error) noexcept;
  /// CSINK_KERNEL=1: events without a level of their own are sampled in kernel mode, too.
  void IncludeKernelMode() noexcept;
  /// After a refusal: if kernel mode was included by CSINK_KERNEL, excludes it again and returns
  /// true.
  bool GiveUpKernelMode(const Error& why) noexcept;
  /// Prints a line if CSINK_KERNEL had to be given up.
  void SayWhyNoKernelMode() noexcept;
  /// Prints a line if a hybrid processor's further kinds of cores are not sampled for all events.
  void SayWhichCoresAreMissing() noexcept;
  /// Arms a CPU timer for `tid`. Returns false if timers are forbidden, deadly or refused.
  bool ArmTimer(ThreadSlot& slot, pid_t tid) noexcept;
  /// Makes CPU timers the source, with the clock as the only event. `why`: the kernel's refusal.
  void UseTimerSource(const Error& why) noexcept;

  const ProcessState& process_;
  Kernel& kernel_;
  ThreadRegistry& registry_;
  RingSource& rings_;
  TimerSource& timers_;
  SpoolWriter& spool_;
  Collector& collector_;
  /// The agent's; `kernel` is cleared in it when the kernel refuses
  Config& config_;
  /// The agent's; its times move when the events are replaced
  StartState& start_state_;
  EventList list_;
  /// CSINK_EVENTS without device counters
  Text<1024> sampled_;
  Text<1024> metered_;  ///< The device counters of CSINK_EVENTS
  Text<256> source_reason_;
  const SourceFacts* source_ = &kRingSource;
  bool kernel_mode_refused_ = false;
  bool cores_told_ = false;
  std::atomic<bool> timers_forbidden_{false};
};

}  // namespace csink::agent
