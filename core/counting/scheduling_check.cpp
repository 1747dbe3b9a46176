#include "core/counting/event_opener.h"
#include "core/counting/open_refusal.h"

namespace csink {
namespace {

using Kind = CountingTarget::Kind;

Result<void> SwitchOn(Kernel& kernel, const OpenedGroup& group, bool on) {
  const long r = SwitchEvent(kernel, group.events.front().event.fd(), on);
  if (r >= 0) return {};
  const int error = static_cast<int>(-r);
  return Error{ErrcFromErrno(error), error, "the counters could not be tried"};
}

// What a group has counted into its events; false: it never got its counters. Nothing to read is
// the kernel's word for that: groups are pinned where they must all count. Not running is no such
// sign: the processor may just be of another type than the PMU (hybrid ones).
bool ReadInto(Kernel& kernel, OpenedGroup& group) {
  std::uint64_t words[3 + kMaxGroupEvents];
  const std::size_t count = group.events.size();
  const std::size_t bytes = (count > 1 ? 3 + count : 3) * sizeof words[0];
  const long r = kernel.EventRead(group.events.back().event.fd(), words, bytes);
  if (r != static_cast<long>(bytes)) return false;
  // The group answers through any member; that it is in error, its leader alone.
  std::uint64_t leader[3];
  if (kernel.EventRead(group.events.front().event.fd(), leader, sizeof leader) == 0) return false;
  const std::uint64_t* times = words + 1;
  const std::uint64_t* values = count > 1 ? words + 3 : words;
  for (std::size_t i = 0; i < count; ++i) group.events[i].now = {values[i], times[0], times[1]};
  return true;
}

}  // namespace

bool EventOpener::NeedsCheck(const std::vector<OpenedGroup>& groups) const {
  if (options_.multiplex != CountingOptions::Multiplex::kOff) return false;
  std::size_t hardware_groups = 0;
  for (const OpenedGroup& group : groups) {
    if (group.Pmu() == 0) continue;
    ++hardware_groups;
    // What opens alone is scheduled alone.
    const std::size_t counters = group.CountersNeeded();
    if (counters > 1 && !memory_.CountedTogether(group.Pmu(), counters)) return true;
  }
  return hardware_groups > 1;
}

Result<void> EventOpener::RunBriefly(std::vector<OpenedGroup>& groups) {
  Result<void> verdict;
  for (const OpenedGroup& group : groups) {
    if (verdict) verdict = SwitchOn(kernel_, group, true);
  }
  for (const OpenedGroup& group : groups) {
    const Result<void> off = SwitchOn(kernel_, group, false);
    if (verdict && !off) verdict = off;
  }
  for (OpenedGroup& group : groups) {
    if (!ReadInto(kernel_, group) && verdict) verdict = ExplainConflict();
  }
  if (!verdict) return verdict;
  for (const OpenedGroup& group : groups) {
    memory_.RememberTogether(group.Pmu(), group.CountersNeeded());
  }
  return {};
}

// The same events, counting only, on the caller: another thread may sleep for long, and an event
// that samples must not go off before its handler is ready.
Result<void> EventOpener::Rehearse(const std::vector<OpenedGroup>& groups) {
  std::vector<OpenedGroup> copies;
  for (const OpenedGroup& group : groups) {
    OpenedGroup copy;
    for (const OpenedEvent& event : group.events) {
      perf_event_attr attr = event.attr;
      attr.sample_period = 0;
      attr.sample_type = 0;
      attr.wakeup_events = attr.watermark = 0;
      attr.sigtrap = 0;
      attr.sig_data = 0;
      attr.inherit = 0;
      const int leader = copy.events.empty() ? -1 : copy.events.front().event.fd();
      const long fd = kernel_.PerfEventOpen(&attr, 0, -1, leader);
      // Not to be had here: then only the real thing can tell.
      if (fd < 0) return {};
      OpenedEvent opened;
      opened.event = PerfEvent(kernel_, static_cast<int>(fd));
      opened.attr = attr;
      opened.software = event.software;
      copy.events.push_back(std::move(opened));
    }
    copies.push_back(std::move(copy));
  }
  return RunBriefly(copies);
}

Result<void> EventOpener::CheckScheduling(std::vector<OpenedGroup>& groups) {
  if (!NeedsCheck(groups)) return {};
  bool rehearse = options_.target.kind == Kind::kThread;
  for (const OpenedGroup& group : groups) {
    for (const OpenedEvent& event : group.events) rehearse = rehearse || event.sampled;
  }
  return rehearse ? Rehearse(groups) : RunBriefly(groups);
}

}  // namespace csink
