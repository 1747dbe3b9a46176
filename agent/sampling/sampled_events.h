#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <string_view>

#include "agent/process/process_state.h"
#include "agent/process/start_state.h"
#include "agent/settings/config.h"
#include "core/perf/kernel.h"
#include "core/sampling/ring_source.h"
#include "core/sampling/thread_registry.h"
#include "core/sampling/timer_source.h"
#include "core/util/text.h"
#include "profil/collector/collector.h"

namespace csink::agent {

/// Which events are sampled, by which source, and how a thread's events are armed.
///
/// At the start the events come from CSINK_EVENTS, or are chosen by what the machine offers. Arming
/// the main thread tries them: an event that the kernel refuses is left out, and where perf_event
/// cannot be used at all the timer source replaces the ring source for all threads. After that the
/// list changes once at most, when events that count nothing are replaced by the clock.
///
/// Owns:    the list of events and the choice of source. The sources themselves are the agent's.
/// Threads: Choose and ArmMain: the main thread, while no other part works. Arm: the new thread,
///          the thread that adopts it, or one that holds the collector's lock for a slot that
///          rests. The rest as said. Signals: what lies in *_signal.cpp is safe.
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

  /// Reads CSINK_EVENTS, fits the rates to the kernel's limit, includes kernel mode. Once.
  void Choose() noexcept;
  /// Arms the main thread, with whatever events and source can be had, and says what could not.
  /// True: it is sampled, or a pause has taken the events away. At the start and in a forked child.
  bool ArmMain(ThreadSlot& slot, pid_t tid) noexcept;
  /// Tells the collector which event is the clock.
  void DescribeClock() noexcept;

  /// Arms another thread. False: it is not sampled.
  bool Arm(ThreadSlot& slot, pid_t tid) noexcept;
  /// In a process with one thread whose events have counted nothing at all so far: the clock is
  /// sampled from here on. Under the collector's lock, on that thread, in no sandbox.
  void LeaveEventsThatDoNotCount() noexcept;

  /// From here on no CPU timer is armed. False: an earlier call forbade them. Threads: any.
  bool ForbidTimers() noexcept {
    return !timers_forbidden_.exchange(true, std::memory_order_acq_rel);
  }
  /// Drains all threads that have a CPU timer and takes it away. After ForbidTimers, with all
  /// signals blocked; takes the collector's lock. `why`: said where CPU timers are the source.
  void TakeTimersAway(std::string_view why) noexcept;
  /// False where the kernel would end the program for a CPU timer. One system call.
  static bool CpuTimersAreSurvivable() noexcept;

  bool timer_source() const noexcept { return timer_source_; }
  const EventList& list() const noexcept { return list_; }
  /// Why these events and this source, for the report.
  const Text<256>& source_reason() const noexcept { return source_reason_; }
  /// The events of devices in CSINK_EVENTS; empty: none.
  std::string_view metered() const noexcept { return metered_.view(); }
  /// CPU time that a sample of the clock stands for; 0: no clock, or no period of its own.
  std::uint64_t ClockPeriodNs() const noexcept;

 private:
  void Read() noexcept;
  /// CSINK_EVENTS names none.
  bool ChoosesItself() const noexcept;
  void SampleClockInstead(const char* why) noexcept;
  void LeaveOut(std::size_t failed, const Error& error) noexcept;
  void IncludeKernelMode() noexcept;
  /// After a refusal: true when kernel mode was asked for and is given up now.
  bool GiveUpKernelMode(const Error& why) noexcept;
  void SayWhyNoKernelMode() noexcept;
  bool ArmTimer(ThreadSlot& slot, pid_t tid) noexcept;
  void UseTimerSource(const Error& why) noexcept;

  const ProcessState& process_;
  Kernel& kernel_;
  ThreadRegistry& registry_;
  RingSource& rings_;
  TimerSource& timers_;
  SpoolWriter& spool_;
  Collector& collector_;
  Config& config_;           ///< Kernel mode is switched off in it when it is refused
  StartState& start_state_;  ///< The report's begin moves when the events are replaced
  EventList list_;
  Text<1024> sampled_;  ///< Of CSINK_EVENTS, without those of devices
  Text<1024> metered_;
  Text<256> source_reason_;
  bool timer_source_ = false;
  bool kernel_mode_refused_ = false;
  std::atomic<bool> timers_forbidden_{false};
};

}  // namespace csink::agent
