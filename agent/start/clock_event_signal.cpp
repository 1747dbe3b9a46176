#include <cstring>

#include "agent/start/default_events.h"
#include "agent/start/sampled_events.h"
#include "core/machine/clocks.h"
#include "core/util/raw_log.h"

/// File: the CPU clock as an event: by default, and in place of events that count nothing because
/// other programs hold the counters, or because the processor does not have them.

namespace csink::agent {
namespace {

// Events that count nothing in this much user time are given up. Frequency mode samples the first
// event that is counted, so an event that counts has a sample long before.
constexpr std::uint64_t kEnoughUserNs = 50'000'000;

}  // namespace

EventSpec TaskClock() noexcept {
  EventSpec spec;
  std::memcpy(spec.name, "task-clock", 11);
  spec.kind = EventClass::kClock;
  spec.type = PERF_TYPE_SOFTWARE;
  spec.config = PERF_COUNT_SW_TASK_CLOCK;
  spec.period = kDefaultClockPeriodNs;
  return spec;
}

void SampledEvents::DescribeClock() noexcept {
  int clock = -1;
  for (std::size_t i = 0; i < list_.count && clock < 0; ++i) {
    if (list_.events[i].kind == EventClass::kClock) clock = static_cast<int>(i);
  }
  SampledClock sampled = collector_.accounts().clock();
  sampled.event = clock;
  sampled.has_system = clock >= 0 && source_->perf_events && !list_.events[clock].exclude_kernel;
  if (clock >= 0 && list_.events[clock].period != 0) {
    sampled.period_ns = list_.events[clock].period;
  }
  collector_.accounts().set_clock(sampled);
}

void SampledEvents::SampleClockInstead(const char* why) noexcept {
  list_.count = 1;
  list_.events[0] = TaskClock();
  source_reason_.Clear();
  source_reason_.Add(why).Add("; task-clock instead (csink doctor)");
  rings_.Configure(list_);
}

void SampledEvents::LeaveEventsThatDoNotCount() noexcept {
  // Only while nothing was sampled and nothing else refers to the list: the spool has the events in
  // its header, and other threads have them armed.
  if (spool_.open() || collector_.accounts().samples() != 0 || !rings_.counts_hardware() ||
      collector_.pauses().pausing() || registry_.used() != 1) {
    return;
  }
  ThreadSlot* slot = registry_.Find(process_.Tid());
  for (std::size_t i = 0; i < list_.count; ++i) {
    // A count without a sample may still become one. Events that need no counter count what
    // happens, so 0 may be the truth.
    const bool counted = slot && rings_.AccountOf(*slot, i, /*own=*/true).unsampled != 0;
    if (counted || !NeedsCounter(list_.events[i])) return;
  }
  std::uint64_t user = 0;
  std::uint64_t system = 0;
  ProcessCpuNs(&user, &system);
  if (!slot || user < start_state_.user_ns + kEnoughUserNs) return;
  Text<200> why;
  why.Add(EventDisplayName(list_.events[0]).view());
  if (list_.count > 1) why.Add(" and the other events");
  why.Add(" counted nothing in the first ").Number((user - start_state_.user_ns) / 1'000'000);
  why.Add(" ms of user time");
  // The thread's accounts were those of the old events.
  rings_.Disarm(*slot);
  slot->ForgetAccounts();
  SampleClockInstead(why.c_str());
  Text<256> line;
  line.Add(why.view()).Add(": sampling task-clock from now on (csink doctor shows the reason)");
  RawLog(LogLevel::kWarn, line.view());
  // The time before this moment cannot be compared with samples. The report begins here, as if the
  // agent had been loaded now.
  start_state_.user_ns = user;
  start_state_.system_ns = system;
  start_state_.monotonic_ns = MonotonicNs();
  const long now = kernel_.ThreadCpuNs(process_.Tid());
  if (now > 0) slot->armed_cpu_ns = slot->drained_cpu_ns = static_cast<std::uint64_t>(now);
  const Result<void> armed = rings_.Arm(*slot, process_.Tid());
  if (!armed) RawLog(LogLevel::kWarn, armed.error().what);
  DescribeClock();
}

std::uint64_t SampledEvents::ClockPeriodNs() const noexcept {
  for (std::size_t i = 0; i < list_.count; ++i) {
    const EventSpec& event = list_.events[i];
    if (event.kind == EventClass::kClock && event.period != 0) return event.period;
  }
  return 0;
}

}  // namespace csink::agent
