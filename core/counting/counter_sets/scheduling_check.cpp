#include <errno.h>

#include "core/counting/counter_sets/event_opener.h"
#include "core/counting/counter_sets/open_refusal.h"
#include "core/util/raw_log.h"
#include "core/util/text.h"

// A PMU may accept a group that it can never schedule: only enabling the group shows that. So a new
// configuration that needs more counters than any before is enabled for a moment and read
// (RunBriefly), with the events themselves or with copies (Rehearse). Where the group did count,
// FindDeadCounters looks for counters that stay at zero.

namespace csink {
namespace {

using Kind = CountingTarget::Kind;

Result<void> SwitchOn(Kernel& kernel, const OpenedGroup& group, bool on) {
  const long r = SwitchEvent(kernel, group.events.front().event.fd(), on);
  if (r >= 0) return {};
  const int error = static_cast<int>(-r);
  return Error{ErrcFromErrno(error), error, "the counters could not be tested"};
}

// Stores what a group has counted in its events. Returns false if the group never got its counters.
// Groups that must count together are pinned, and the kernel reports one that could not be
// scheduled by end of file. A running time of 0 is not used as a sign: on a hybrid processor the
// thread may just run on a core of another type than the PMU's.
bool ReadInto(Kernel& kernel, OpenedGroup& group) {
  std::uint64_t words[3 + kMaxGroupEvents];
  const std::size_t count = group.events.size();
  // The layout of AnswerWords (core/counting/counters/counter_table.h).
  const std::size_t bytes = (count > 1 ? 3 + count : 3) * sizeof words[0];
  const long r = kernel.EventRead(group.events.back().event.fd(), words, bytes);
  if (r != static_cast<long>(bytes)) return false;
  // Counts can be read through any member; the end of file is reported for the leader alone.
  std::uint64_t leader[3];
  if (kernel.EventRead(group.events.front().event.fd(), leader, sizeof leader) == 0) return false;
  const std::uint64_t* times = words + 1;
  const std::uint64_t* values = count > 1 ? words + 3 : words;
  for (std::size_t i = 0; i < count; ++i) group.events[i].now = {values[i], times[0], times[1]};
  return true;
}

/// Whether the group belongs to the processor's own PMU, which can count instructions.
bool CountsInstructions(const OpenedGroup& group) {
  for (const OpenedEvent& event : group.events) {
    if (!event.software) return event.attr.type <= PERF_TYPE_RAW;
  }
  return false;
}

void SayThatCountersAreDead(std::size_t alive, std::size_t tried) {
  Text<256> line;
  line.Add("the processor reports ").Number(tried).Add(" counters or more, but only ");
  line.Number(alive).Add(" of them count (a virtual machine may report more counters than it has)");
  RawLog(LogLevel::kWarn, line.view());
}

}  // namespace

/// Counts instructions with `counters` events in one group. A counter whose event stays at zero
/// while others count does not work. The events that the user asked for cannot show that: they may
/// be zero correctly.
/// Errors: kConflict where a dead counter was found; success where none was found or nothing is
/// known.
Result<void> EventOpener::FindDeadCounters(std::uint32_t pmu, std::size_t counters) {
  OpenedGroup group;
  for (std::size_t i = 0; i < counters; ++i) {
    CountableEvent event;
    event.attr.type = PERF_TYPE_HARDWARE;
    // Instructions count on every general counter, and any code makes them move.
    event.attr.config = PERF_COUNT_HW_INSTRUCTIONS;
    if (pmu != PERF_TYPE_RAW)
      event.attr.config |= std::uint64_t{pmu} << 32;  // a hybrid's core type
    perf_event_attr attr = MakeCountingAttr(event, {}, {}, i != 0);
    attr.remove_on_exec = 0;  // kernels before 5.13 refuse it
    attr.exclude_kernel = 0;  // so that the system calls that switch the group are counted, too
    const int leader = i == 0 ? -1 : group.events.front().event.fd();
    long fd = kernel_.PerfEventOpen(&attr, 0, -1, leader);
    if (fd == -EACCES || fd == -EPERM) {
      attr.exclude_kernel = 1;
      fd = kernel_.PerfEventOpen(&attr, 0, -1, leader);
    }
    // Instructions do not fit where the wanted events fitted: this test cannot tell anything.
    if (fd < 0) return {};
    OpenedEvent opened;
    opened.event = PerfEvent(kernel_, static_cast<int>(fd));
    opened.attr = attr;
    group.events.push_back(std::move(opened));
  }
  bool ran = SwitchOn(kernel_, group, true).has_value();
  for (int i = 0; i < 1000; ++i) __asm__ volatile("");
  // A few instructions in user mode, for the case that the kernel may not be counted.
  ran = SwitchOn(kernel_, group, false) && ran;
  if (!ran || !ReadInto(kernel_, group) || group.events.front().now.running_ns == 0) return {};
  std::size_t alive = 0;
  for (const OpenedEvent& event : group.events) alive += event.now.value != 0 ? 1 : 0;
  // None at all: the group did not run, which says nothing about the counters.
  if (alive == 0 || alive == counters) return {};
  if (memory_.RememberDead(pmu, alive)) SayThatCountersAreDead(alive, counters);
  return ExplainDeadCounters();
}

bool EventOpener::NeedsCheck(const std::vector<OpenedGroup>& groups) const {
  if (options_.multiplex != CountingOptions::Multiplex::kOff) return false;
  std::size_t hardware_groups = 0;
  for (const OpenedGroup& group : groups) {
    if (group.Pmu() == 0) continue;
    ++hardware_groups;
    // A group that needs one counter at most is scheduled if it could be opened.
    const std::size_t counters = group.CountersNeeded();
    if (counters > 1 && !memory_.CountedTogether(group.Pmu(), counters)) return true;
  }
  // Several pinned groups share the counters of a processor, so each may take them from the other.
  return hardware_groups > 1;
}

Result<void> EventOpener::RunBriefly(std::vector<OpenedGroup>& groups) {
  Result<void> verdict;
  for (const OpenedGroup& group : groups) {
    if (verdict) verdict = SwitchOn(kernel_, group, true);
  }
  for (const OpenedGroup& group : groups) {
    // All groups are disabled again, also those behind a failure.
    const Result<void> off = SwitchOn(kernel_, group, false);
    if (verdict && !off) verdict = off;
  }
  for (OpenedGroup& group : groups) {
    if (!ReadInto(kernel_, group) && verdict) verdict = ExplainConflict();
  }
  for (const OpenedGroup& group : groups) {
    const std::size_t counters = group.CountersNeeded();
    if (!verdict || counters < 2 || !CountsInstructions(group)) continue;
    verdict = FindDeadCounters(group.Pmu(), counters);
  }
  if (!verdict) return verdict;
  for (const OpenedGroup& group : groups) {
    memory_.RememberTogether(group.Pmu(), group.CountersNeeded());
  }
  return {};
}

// Checks copies of the events that only count, on the calling thread. Used where the events
// themselves must not run: another thread may sleep for long, and a sampling event must not
// overflow before its handler is ready.
Result<void> EventOpener::Rehearse(const std::vector<OpenedGroup>& groups) {
  std::vector<OpenedGroup> copies;
  for (const OpenedGroup& group : groups) {
    OpenedGroup copy;
    for (const OpenedEvent& event : group.events) {
      perf_event_attr attr = event.attr;
      // The copies only count: everything of sampling is removed.
      attr.sample_period = 0;
      attr.sample_type = 0;
      attr.wakeup_events = attr.watermark = 0;
      attr.sigtrap = 0;
      attr.sig_data = 0;
      attr.inherit = 0;
      const int leader = copy.events.empty() ? -1 : copy.events.front().event.fd();
      const long fd = kernel_.PerfEventOpen(&attr, 0, -1, leader);
      // The event cannot be opened for this thread: only the real set can show whether it counts.
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
  for (const OpenedGroup& group : groups) {
    if (memory_.MoreThanCount(group.Pmu(), group.CountersNeeded())) return ExplainDeadCounters();
  }
  bool rehearse = options_.target.kind == Kind::kThread;
  for (const OpenedGroup& group : groups) {
    for (const OpenedEvent& event : group.events) rehearse = rehearse || event.sampled;
  }
  return rehearse ? Rehearse(groups) : RunBriefly(groups);
}

}  // namespace csink
