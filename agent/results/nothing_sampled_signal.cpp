#include "agent/results/nothing_sampled.h"
#include "core/machine/clocks.h"

/// File: a process that used CPU time without a single sample. Without a line such a process would
/// look as if it had done nothing.

namespace csink::agent {

Text<512> NothingSampledLine(const EventList& events, std::uint64_t user_ns) noexcept {
  bool clock = false;
  bool hardware = false;
  Text<512> line;
  line.Add("nothing was sampled in ").Fixed(user_ns, 1'000'000'000, 2).Add(" s of user time: ");
  for (std::size_t i = 0; i < events.count; ++i) {
    const EventSpec& event = events.events[i];
    clock |= event.kind == EventClass::kClock;
    hardware |= event.type != PERF_TYPE_SOFTWARE;
    line.Add(i == 0 ? "" : ", ").Add(event.name);
  }
  if (clock) {
    line.Add(" delivered no sample; csink doctor shows what this machine allows, ");
    line.Add("CSINK_SOURCE=timer samples without perf events");
  } else if (hardware) {
    line.Add(" counted nothing; csink doctor tests the event, ");
    line.Add("CSINK_EVENTS=task-clock samples the CPU clock");
  } else {
    line.Add(" occurred less often than one sampling period; ");
    line.Add("CSINK_EVENTS=task-clock samples the CPU clock");
  }
  return line;
}

bool BurnedForNothing(const Collector& collector, const StartState& start,
                      std::uint64_t min_samples, std::uint64_t& user_ns) noexcept {
  if (collector.accounts().samples() != 0) return false;
  std::uint64_t system_ns = 0;
  ProcessCpuNs(&user_ns, &system_ns);
  // The time before the agent's start (earlier images, the loader) and the pauses have no samples
  // by design.
  const std::uint64_t not_ours_ns = start.user_ns + collector.PausedNs();
  user_ns -= user_ns < not_ours_ns ? user_ns : not_ours_ns;
  // The second condition keeps processes silent that would not have been reported with samples
  // either.
  return user_ns >= kBurnedNs && user_ns / kDefaultClockPeriodNs >= min_samples;
}

}  // namespace csink::agent
