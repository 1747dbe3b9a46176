#include <errno.h>

#include <cstring>

#include "agent/agent.h"
#include "agent/events/default_events.h"
#include "agent/events/event_cost.h"
#include "agent/process/ancestors.h"
#include "agent/settings/complain.h"
#include "core/perf/perf_probe.h"
#include "core/sampling/rate_limit.h"

/// File: which events are sampled, and what is done when they cannot be.

namespace csink::agent {
namespace {

const char* Reason(const Error& error) noexcept {
  if (error.code == Errc::kLimit) return error.what;
  switch (error.sys_errno) {
    case EPERM:
    case EACCES:
      return "perf_event_open is refused (perf_event_paranoid, or a container's seccomp filter)";
    case ENOSYS:
      return "this kernel has no perf_event_open";
    default:
      return error.what;
  }
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

void Agent::ChooseEvents() noexcept {
  ReadEvents();
  EventComplaint complaint;
  FitRates(kernel_, events_, complaint);
  if (complaint.size() != 0) Complain(complaint.view());
}

void Agent::ReadEvents() noexcept {
  PartEvents(config_.events.view(), sampled_events_, metered_events_);
  const bool automatic = ChoosesEventsItself();
  if (!automatic) {
    EventComplaint complaint;
    Result<EventList> list = ParseEventList(sampled_events_.view(), complaint);
    Text<640> line;
    line.Add(complaint.view());
    if (!list) line.Add("; sampling task-clock instead");
    if (line.size() != 0) Complain(line.view());
    if (list) {
      events_ = *list;
      source_reason_.Add("asked for by CSINK_EVENTS");
      return;
    }
    source_reason_.Add("CSINK_EVENTS could not be used");
  }
  events_.count = 1;
  Error why;
  if (automatic && HasCycles(kernel_, &why)) {
    events_.events[0] = Cycles();
    source_reason_.Add("hardware PMU");
    if (config_.source != SourceChoice::kTimer) {
      ChooseByCost(kernel_, ReadCostSurroundings(), TaskClock(), events_.events[0], source_reason_);
    }
    return;
  }
  events_.events[0] = TaskClock();
  if (automatic && why.code == Errc::kNoEvent) {
    source_reason_.Add("no hardware PMU on this machine (csink doctor)");
  }
}

bool Agent::ChoosesEventsItself() const noexcept {
  return sampled_events_.size() == 0 || sampled_events_.view() == "auto";
}

void Agent::UseTimerSource(const Error& why) noexcept {
  if (!timer_source_) SayThatStacksAreOff();
  timer_source_ = true;
  std::uint64_t period = kDefaultClockPeriodNs;
  bool had_clock = false;
  for (std::size_t i = 0; i < events_.count; ++i) {
    if (events_.events[i].kind != EventClass::kClock) continue;
    had_clock = true;
    if (events_.events[i].period != 0) period = events_.events[i].period;
  }
  if (!had_clock && sampled_events_.size() != 0) {
    Complain(
        "hardware events need perf_event_open; sampling the CPU clock instead (csink doctor "
        "says more)");
  }
  if (config_.source == SourceChoice::kRing) {
    Text<256> line;
    line.Add("CSINK_SOURCE=ring cannot be had: ").Add(Reason(why)).Add("; using CPU-clock timers");
    Complain(line.view());
  }
  events_.count = 1;
  events_.events[0] = TaskClock();
  events_.events[0].period = period;
  timers_.Configure(period);
  source_reason_.Clear();
  source_reason_.Add(Reason(why)).Add("; CPU-clock timers, at most the kernel's tick rate");
}

void Agent::StartMeter() noexcept {
  if (metered_events_.size() == 0) return;
  // The counters are the machine's: what the first process reads holds for all below it.
  const bool is_first = CountAncestors(start_state_.parent_pid) == 0;
  if (config_.tree != 0 && !is_first) return;
  Text<256> why;
  if (meter_.Start(metered_events_.view(), process_.pid(), !is_first, why)) return;
  Text<512> line;
  line.Add("counters of devices are not read: ").Add(why.view());
  Complain(line.view());
}

}  // namespace csink::agent
