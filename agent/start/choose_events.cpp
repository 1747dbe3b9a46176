#include <errno.h>

#include <cstring>

#include "agent/devices/meter.h"
#include "agent/settings/complain.h"
#include "agent/start/default_events.h"
#include "agent/start/doctor_trial.h"
#include "agent/start/event_cost.h"
#include "agent/start/sampled_events.h"
#include "core/machine/deadly_calls.h"
#include "core/perf/counting_obstacles.h"
#include "core/perf/perf_probe.h"
#include "core/sampling/rate_limit.h"

/// File: which events are sampled, and what is done when they cannot be. ArmMain is a loop: it arms
/// the list on the main thread, and after each refusal makes the list smaller (without kernel mode,
/// without the event, or the timer source) until something is armed.

namespace csink::agent {
namespace {

// Why perf events cannot be used, for the report and messages.
Text<160> Reason(const Error& error) noexcept {
  const bool refused =
      error.sys_errno == EPERM || error.sys_errno == EACCES || error.sys_errno == ENOSYS;
  // Limits have a text of their own.
  if (!refused || error.code == Errc::kLimit) return Text<160>().Add(error.what);
  return ExplainRefusal(error.sys_errno, false, ReadMachineFacts()).why;
}

}  // namespace

EventSpec Cycles() noexcept {
  EventSpec spec;
  std::memcpy(spec.name, "cycles", 7);
  spec.kind = EventClass::kCycles;
  spec.type = PERF_TYPE_HARDWARE;
  spec.config = PERF_COUNT_HW_CPU_CYCLES;
  spec.frequency_hz = kDefaultCounterHz;
  return spec;
}

void SampledEvents::Choose(const CoreKinds* kinds) noexcept {
  Read();
  // Costs each start 4 us in a virtual machine, more where the processor is hybrid.
  const bool is_clock = list_.count == 1 && list_.events[0].kind == EventClass::kClock;
  if (kinds) {
    rings_.set_core_kinds(*kinds);
  } else if (!is_clock) {
    rings_.set_core_kinds(ReadCoreKinds());
  }
  // Before the first open: the kernel refuses a rate above its limit and throttles one near it.
  EventComplaint complaint;
  FitRates(kernel_, list_, complaint);
  if (complaint.size() != 0) Complain(complaint.view());
  IncludeKernelMode();
}

void SampledEvents::Read() noexcept {
  PartEvents(config_.events.view(), sampled_, metered_);
  const bool automatic = ChoosesItself();
  // A list that cannot be read costs a line, not the profile: the clock is sampled then.
  if (!automatic) {
    EventComplaint complaint;
    Result<EventList> list = ParseEventList(sampled_.view(), complaint);
    Text<640> line;
    line.Add(complaint.view());
    if (!list) line.Add("; sampling task-clock instead");
    if (line.size() != 0) Complain(line.view());
    if (list) {
      list_ = *list;
      source_reason_.Add("set by CSINK_EVENTS");
      return;
    }
    source_reason_.Add("CSINK_EVENTS could not be used");
  }
  list_.count = 1;
  Error why;
  if (automatic && HasCycles(kernel_, &why)) {
    list_.events[0] = Cycles();
    source_reason_.Add("hardware PMU");
    // The cost of cycles matters only if they will be sampled.
    if (config_.source != SourceChoice::kTimer) {
      ChooseByCost(kernel_, ReadCostSurroundings(), TaskClock(), list_.events[0], source_reason_);
    }
    return;
  }
  list_.events[0] = TaskClock();
  if (automatic && why.code == Errc::kNoEvent) {
    source_reason_.Add("no hardware PMU on this machine (csink doctor)");
  }
}

bool SampledEvents::ChoosesItself() const noexcept {
  return sampled_.size() == 0 || sampled_.view() == "auto";
}

// The events are fitted to the source: a timer has one column, the clock, whose period is kept if
// the list had a clock. Called once for a process: a forked child inherits the result, because what
// refused perf_event holds for it, too.
void SampledEvents::UseTimerSource(const Error& why) noexcept {
  if (source_ != &kTimerSource && config_.stacks != Stacks::kOff) {
    Complain(
        "CSINK_STACKS is ignored: it needs perf_event, and samples of CPU-clock timers have no "
        "callers");
  }
  source_ = &kTimerSource;
  std::uint64_t period = kDefaultClockPeriodNs;
  bool had_clock = false;
  for (std::size_t i = 0; i < list_.count; ++i) {
    if (list_.events[i].kind != EventClass::kClock) continue;
    had_clock = true;
    if (list_.events[i].period != 0) period = list_.events[i].period;
  }
  // A timer counts CPU time; every other event of the list is lost.
  if (!had_clock && sampled_.size() != 0) {
    Complain(
        "hardware events need perf_event_open; sampling the CPU clock instead (csink doctor shows "
        "the reason)");
  }
  if (config_.source == SourceChoice::kRing) {
    Text<256> line;
    line.Add("CSINK_SOURCE=ring is not possible: ")
        .Add(Reason(why).view())
        .Add("; using CPU-clock timers");
    Complain(line.view());
  }
  list_.count = 1;
  list_.events[0] = TaskClock();
  list_.events[0].period = period;
  timers_.Configure(period);
  source_reason_.Clear();
  source_reason_.Add(Reason(why).view())
      .Add("; CPU-clock timers are used, at most at the kernel's tick rate");
}

// The loop ends: each round without success removes kernel mode, an event or the ring source, or
// exchanges the list for the clock, and a lone clock that is refused leads to the timers.
bool SampledEvents::ArmMain(ThreadSlot& slot, pid_t tid) noexcept {
  Result<void> armed = Error{};
  if (source_ == &kRingSource) {
    if (config_.source == SourceChoice::kTimer) {
      UseTimerSource(Error{Errc::kUnsupported, 0, "CSINK_SOURCE=timer"});
    } else if (IsDeadly(DeadlyCall::kPerfEventOpen)) {
      // A seccomp filter, inherited over exec, would kill the process for a perf_event_open.
      UseTimerSource(Error{Errc::kPermission, EPERM, ""});
    }
  }
  const bool rests = collector_.pauses().resting();  // forked out of a paused program
  slot.resting = rests;
  while (source_ == &kRingSource && list_.count > 0 && !rests) {
    rings_.Configure(list_);
    rings_.set_random_first(config_.random_start, config_.tree);
    armed = rings_.Arm(slot, tid);
    // An event that was chosen here and has no counter yet would sample nothing. An event that the
    // user named is kept.
    if (armed && ChoosesItself() && rings_.counts_hardware() && !rings_.HasCounted(slot)) {
      rings_.Disarm(slot);
      slot.ForgetAccounts();
      SampleClockInstead("cycles had no counter at the start");
      continue;
    }
    if (armed) break;
    const Error error = armed.error();
    if (GiveUpKernelMode(error)) continue;
    const std::size_t failed = rings_.failed_event();
    // If the kernel refuses even the clock, or perf events are not supported, no event can be had.
    // Any other refusal concerns this event alone.
    const bool refused = error.code == Errc::kPermission && error.sys_errno != 0 &&
                         list_.events[failed].kind == EventClass::kClock;
    const bool only_task_clock = list_.count == 1 && list_.events[0].kind == EventClass::kClock;
    if (refused || only_task_clock || error.code == Errc::kUnsupported) {
      UseTimerSource(error);
      break;
    }
    LeaveOut(failed, error);
  }
  SayWhyNoKernelMode();
  SayWhichCoresAreMissing();
  collector_.pauses().set_system_is_sampled(!source_->perf_events || config_.kernel);
  // In a pause nothing is armed; the first resume does it.
  bool ok = rests || (armed.has_value() && slot.ring_count > 0);
  if (source_ == &kTimerSource && !rests) ok = ArmTimer(slot, tid);
  return ok;
}

void SampledEvents::SayWhichCoresAreMissing() noexcept {
  // A forked child comes here again and must not repeat the line.
  if (cores_told_ || source_ != &kRingSource) return;
  cores_told_ = true;
  const auto one_kind = WarningOfMissingCores(list_, rings_.core_kinds());
  if (one_kind.size() != 0) Complain(one_kind.view());
  if (rings_.covers_all_cores()) return;
  Text<200> line;
  line.Add(
      "some events are sampled on the performance cores only: a hybrid processor needs one of ");
  line.Number(kMaxEventSpecs).Add(" events for each event and kind of cores; name fewer events");
  Complain(line.view());
}

void SampledEvents::LeaveOut(std::size_t failed, const Error& error) noexcept {
  Text<400> line;
  line.Add("event ").Add(list_.events[failed].name).Add(" is left out: ");
  line.Add(WhyLeftOut(kernel_, list_.events[failed], error).view());
  if (list_.count == 1) line.Add("; sampling task-clock instead");
  Complain(line.view());
  for (std::size_t i = failed; i + 1 < list_.count; ++i) {
    list_.events[i] = list_.events[i + 1];
  }
  // A process without an event would have an empty report, so the clock takes the place.
  if (--list_.count == 0) {
    list_.events[0] = TaskClock();
    list_.count = 1;
    source_reason_.Clear();
    source_reason_.Add("no event of CSINK_EVENTS is available");
  }
}

}  // namespace csink::agent
