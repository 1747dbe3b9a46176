#include "symbolizer/commands/load/nothing_sampled.h"

#include <algorithm>

#include "profil/reading/model/saturating.h"
#include "symbolizer/report/wording/numbers.h"
#include "symbolizer/report/wording/shorten.h"

namespace csink::tool {
namespace {

/// User time in nanoseconds from which a profile without samples is suspicious. The same value as
/// in agent/results/nothing_sampled.h.
constexpr std::uint64_t kBurnedNs = 100'000'000;

/// Whether the kernel counts the event itself. A profile does not contain perf_event_attr.type, so
/// the skid decides: the agent stores kTimer or kTick for such events.
bool HappensInSoftware(const EventTotals& event) {
  return event.skid == spool::Skid::kTimer || event.skid == spool::Skid::kTick;
}

}  // namespace

std::string WhyNothingWasSampled(const Profile& profile) {
  std::uint64_t user_ns = 0;
  for (const ProcessRow& row : profile.processes) {
    const std::uint64_t ns = SaturatingSubtract(row.user_ns, row.start_user_ns);
    AddTo(user_ns, SaturatingSubtract(ns, row.paused_ns));
  }
  // Too little time for a sample proves nothing.
  if (user_ns < kBurnedNs || profile.events.empty()) return "";
  std::string names;
  // A clock must tick in this time; other software events may be rare; hardware events may not
  // exist.
  bool clock = false;
  bool software = true;
  bool had_counter = false;
  for (const EventTotals& event : profile.events) {
    if (event.samples != 0) return "";
    clock = clock || event.kind == EventClass::kClock;
    software = software && HappensInSoftware(event);
    had_counter = had_counter || event.running_ns != 0 || event.enabled_ns == 0;
    names += (names.empty() ? "" : ", ") + report::Printable(event.name);
  }
  const std::string burned =
      " in " + report::FixedText(report::Seconds(user_ns), 2) + " s of user time";
  if (clock) {
    return names + " delivered no sample" + burned +
           "; csink doctor shows what this machine allows, --source timer samples without perf "
           "events";
  }
  if (software) {
    return names + " occurred less often than one sampling period" + burned +
           "; -e task-clock samples the CPU clock";
  }
  return names + (had_counter ? " counted nothing" : " had no counter") + burned +
         "; csink doctor tests the event, -e task-clock samples the CPU clock";
}

}  // namespace csink::tool
