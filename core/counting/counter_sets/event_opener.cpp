#include "core/counting/counter_sets/event_opener.h"

#include <errno.h>

#include <bit>

#include "core/counting/counter_sets/open_refusal.h"
#include "core/perf/ring_buffer.h"
#include "core/util/thread_id.h"

// Open tries the existing groups in order (MayJoin, OpenMember), then a group of its own
// (OpenLeader). Each perf_event_open(2) goes down a ladder (OpenWithLadder): where the kernel
// refuses an attribute, one bit that older kernels do not know is left out and the call is
// repeated. CountingMemory remembers a kernel without remove_on_exec, so that later events open at
// the first try.

namespace csink {
namespace {

using Kind = CountingTarget::Kind;
using Multiplex = CountingOptions::Multiplex;
using Delivery = SamplingRequest::Delivery;

// The errno with which a PMU refuses a group that does not fit: EINVAL on x86 and arm, ENOSPC on
// other PMUs and for inherited groups of older kernels.
bool MeansNotInThisGroup(int error) { return error == EINVAL || error == ENOSPC; }

// config1 of arm_pmu, bit 1 `rdpmc`: user-space reads (sysfs,
// bus/event_source/devices/armv8_pmuv3_0/format). Bit 0 `long` (a 64-bit counter) is not set: there
// is only one such counter, so a second cycles event could not be scheduled. 32-bit counters are
// extended by UserRead.
#if defined(__aarch64__)
constexpr std::uint64_t kUserReadBit = 2;
void AskForUserReads(perf_event_attr& attr) { attr.config1 |= kUserReadBit; }
bool AskForLess(perf_event_attr& attr) {
  const bool asked = (attr.config1 & kUserReadBit) != 0;
  attr.config1 &= ~kUserReadBit;
  return asked;
}
#else
void AskForUserReads(perf_event_attr&) {}
bool AskForLess(perf_event_attr&) { return false; }
#endif

// Of the kernel's software events only faults have a data address.
bool HasNoDataAddress(const CountableEvent& event) {
  if (event.attr.type != PERF_TYPE_SOFTWARE) return false;
  switch (event.attr.config) {
    case PERF_COUNT_SW_PAGE_FAULTS:
    case PERF_COUNT_SW_PAGE_FAULTS_MIN:
    case PERF_COUNT_SW_PAGE_FAULTS_MAJ:
    case PERF_COUNT_SW_ALIGNMENT_FAULTS:
      return false;
    default:
      return true;
  }
}

}  // namespace

bool CountingMemory::Keep(PerfEvent& event, const perf_event_attr& attr, Kernel& kernel) noexcept {
  // The kernel has one switch for each software event, and one for all hardware events together.
  // Bit 31 stands for hardware events.
  const bool software = attr.type == PERF_TYPE_SOFTWARE && attr.config < 31;
  const std::uint32_t kind = software ? std::uint32_t{1} << attr.config : std::uint32_t{1} << 31;
  // An inherited event would go on to count in each new thread; one with a period could overflow.
  if (attr.inherit || attr.sample_period != 0 ||
      kept_kinds_.load(std::memory_order_relaxed) & kind) {
    return false;
  }
  // Two threads may come here at once: only the first one keeps its event.
  if (kept_kinds_.fetch_or(kind, std::memory_order_relaxed) & kind) return false;
  // Disabled: a kept member of a group would go on counting after its leader was closed.
  SwitchEvent(kernel, event.fd(), false);
  kept_[static_cast<std::size_t>(std::countr_zero(kind))].store(event.Release() + 1,
                                                                std::memory_order_release);
  return true;
}

void CountingMemory::CloseKept(Kernel& kernel) noexcept {
  for (std::size_t kind = 0; kind < kept_.size(); ++kind) {
    const int kept = kept_[kind].exchange(0, std::memory_order_acquire);
    if (kept == 0) continue;
    // The descriptor is stored as fd + 1, so that 0 means "none".
    kernel.Close(kept - 1);
    kept_kinds_.fetch_and(~(std::uint32_t{1} << kind), std::memory_order_relaxed);
  }
}

std::size_t OpenedGroup::CountersNeeded() const {
  std::size_t counters = 0;
  bool cycles = false;
  for (const OpenedEvent& e : events) {
    if (e.software) continue;
    if (CountsCycles(e.attr) && !cycles) {
      cycles = true;
    } else {
      ++counters;
    }
  }
  // The first cycles event uses the dedicated cycle counter.
  return counters;
}

std::uint32_t OpenedGroup::Pmu() const {
  for (const OpenedEvent& e : events) {
    if (!e.software) return PmuOf(e.attr);
  }
  return 0;
}

EventOpener::Place EventOpener::PlaceOn(int cpu) const noexcept {
  if (cpu >= 0) return {-1, cpu};
  return {options_.target.kind == Kind::kThread ? options_.target.tid : 0, -1};
}

Result<void> EventOpener::Open(std::vector<OpenedGroup>& groups, const CountableEvent& event,
                               const SamplingRequest& sampling, std::uint32_t counter) {
  if (event.stays_at_zero) {
    return Error{Errc::kNoEvent, 0,
                 "the emulated PMU does not count this event: the count would stay at 0"};
  }
  if (sampling.delivery != Delivery::kNone && sampling.data_address && HasNoDataAddress(event)) {
    return Error{Errc::kUnsupported, 0, "samples of this event carry no data address"};
  }
  // The CPU that the user asked for is the place of all events, also of those with a cpumask.
  if (options_.target.kind == Kind::kCpu) {
    return OpenOn(groups, event, sampling, counter, options_.target.cpu);
  }
  if (event.cpus.empty()) return OpenOn(groups, event, sampling, counter, -1);
  for (const int cpu : event.cpus) {
    if (const Result<void> r = OpenOn(groups, event, sampling, counter, cpu); !r) return r;
  }
  return {};
}

bool EventOpener::MayJoin(const OpenedGroup& group, const CountableEvent& event, int cpu) const {
  // The kernel rotates groups, not members: with its multiplexing each event is a group of its own.
  // An exclusive event asks for all counters of the CPU (perf_event_open(2)).
  if (options_.multiplex == Multiplex::kKernel || event.attr.exclusive || group.cpu != cpu ||
      group.events.front().attr.exclusive) {
    return false;
  }
  const std::size_t most =
      options_.multiplex == Multiplex::kSoftware ? counters_at_once_ : kMaxGroupEvents;
  if (group.events.size() >= most) return false;
  const std::uint32_t pmu = group.Pmu();
  // Software events may be in any group; events of two hardware PMUs in one group are refused
  // (perf_event_open(2)).
  return event.software || pmu == 0 || pmu == PmuOf(event.attr);
}

// Where a group of the same PMU has refused the event, a group of its own is opened all the same:
// whether it opens distinguishes a conflict from an event that this machine cannot count.
Result<void> EventOpener::OpenOn(std::vector<OpenedGroup>& groups, const CountableEvent& event,
                                 const SamplingRequest& sampling, std::uint32_t counter, int cpu) {
  bool does_not_fit = false;
  for (OpenedGroup& group : groups) {
    if (!MayJoin(group, event, cpu)) continue;
    // Only a refusal by a group with events of the same PMU is a conflict. A software event, or the
    // first hardware event of a group, may lead a group of its own.
    const bool same_pmu = !event.software && group.Pmu() != 0;
    Result<OpenedEvent> member = OpenMember(group, event, sampling, cpu);
    if (member) {
      member->counter = counter;
      group.events.push_back(std::move(*member));
      return {};
    }
    // Another refusal than "does not fit" would meet a new group, too.
    if (!MeansNotInThisGroup(member.error().sys_errno)) return member.error();
    does_not_fit = does_not_fit || (same_pmu && options_.multiplex == Multiplex::kOff);
  }
  Result<OpenedEvent> leader = OpenLeader(event, sampling, cpu);
  if (!leader) return leader.error();
  if (does_not_fit) return ExplainConflict();  // counts alone, but not together with the others
  leader->counter = counter;
  OpenedGroup group;
  group.cpu = cpu;
  group.events.push_back(std::move(*leader));
  groups.push_back(std::move(group));
  return {};
}

// Opens an event that is sampled with an exact PC. precise_ip 2 asks for no skid; 1 for a constant
// skid, which the kernel corrects (perf_event_open(2)).
long EventOpener::OpenSampled(perf_event_attr& attr, const SamplingRequest& sampling,
                              const CountableEvent& event, const Place& place, int group_fd) {
  if (sampling.delivery == Delivery::kNone || !sampling.exact_pc || event.software) {
    return OpenWithLadder(attr, place, group_fd);
  }
  // No skid first, then a constant one. 0 would be an inexact PC, which the caller has excluded.
  for (unsigned precise = 2; precise > 0; --precise) {
    attr.precise_ip = precise & 3;
    const long fd = OpenWithLadder(attr, place, group_fd);
    if (fd != -EINVAL && fd != -EOPNOTSUPP && fd != -ENOENT) return fd;
  }
  // For a member the group may be the cause, so the caller tries a group of its own.
  return group_fd >= 0 ? -EINVAL : -EOPNOTSUPP;
}

bool EventOpener::MayReadInUserSpace(const CountableEvent& event,
                                     const SamplingRequest& sampling) const {
  return memory_.user_reads_at_most.load(std::memory_order_relaxed) != 0 && !event.software &&
         event.cpus.empty() && options_.target.kind == Kind::kCaller && !options_.target.inherit &&
         sampling.delivery == Delivery::kNone;
}

long EventOpener::OpenWithLadder(perf_event_attr& attr, const Place& place, int group_fd) {
  if (memory_.no_remove_on_exec.load(std::memory_order_relaxed) && !attr.sigtrap) {
    attr.remove_on_exec = 0;
  }
  for (;;) {
    const long fd = kernel_.PerfEventOpen(&attr, place.tid, place.cpu, group_fd);
    const bool refused = fd == -EINVAL || fd == -E2BIG || fd == -EOPNOTSUPP;
    if (!refused) return fd;
    if (AskForLess(attr)) continue;
    // EINVAL for a member concerns the group: its leader was opened with the same bits.
    if (group_fd >= 0) return fd;
    if (attr.remove_on_exec && !attr.sigtrap) {
      attr.remove_on_exec = 0;
      const long without = kernel_.PerfEventOpen(&attr, place.tid, place.cpu, group_fd);
      if (without >= 0) memory_.no_remove_on_exec.store(true, std::memory_order_relaxed);
      // The same errno again: remove_on_exec was not the cause, so exclude_guest is tried next.
      if (without >= 0 || without != fd) return without;
    } else if (attr.exclude_guest) {
      attr.exclude_guest = 0;
    } else {
      return fd;
    }
  }
}

Result<OpenedEvent> EventOpener::OpenLeader(const CountableEvent& event,
                                            const SamplingRequest& sampling, int cpu) {
  perf_event_attr attr = MakeCountingAttr(event, options_, sampling, false);
  if (MayReadInUserSpace(event, sampling)) AskForUserReads(attr);
  const long fd = OpenSampled(attr, sampling, event, PlaceOn(cpu), -1);
  return Finish(fd, attr, event, sampling);
}

Result<OpenedEvent> EventOpener::OpenMember(const OpenedGroup& group, const CountableEvent& event,
                                            const SamplingRequest& sampling, int cpu) {
  perf_event_attr attr = MakeCountingAttr(event, options_, sampling, true);
  if (MayReadInUserSpace(event, sampling)) AskForUserReads(attr);
  const long fd = OpenSampled(attr, sampling, event, PlaceOn(cpu), group.events.front().event.fd());
  return Finish(fd, attr, event, sampling);
}

Result<OpenedEvent> EventOpener::Finish(long fd, const perf_event_attr& attr,
                                        const CountableEvent& event,
                                        const SamplingRequest& sampling) {
  if (fd < 0) return ExplainRefusal(static_cast<int>(-fd), event, options_, sampling);
  OpenedEvent opened;
  // Owns the descriptor from here on: an error below closes it.
  opened.event = PerfEvent(kernel_, static_cast<int>(fd));
  opened.attr = attr;
  opened.software = event.software;
  opened.sampled = sampling.delivery != Delivery::kNone;
  if (sampling.delivery == Delivery::kSignal) {
    // F_OWNER_TID: to the counted thread, not to any thread of the process.
    const pid_t tid = options_.target.kind == Kind::kThread ? options_.target.tid : AskTid();
    const long r = kernel_.SignalOverflows(opened.event.fd(), sampling.signal, tid);
    if (r < 0) return ExplainRefusal(static_cast<int>(-r), event, options_, sampling);
  }
  opened.user_reads = MayReadInUserSpace(event, sampling);
  return opened;
}

// Values from -4095 to -1 are errors; every other one is an address.
EventPage MapEventPage(const OpenedEvent& opened, Kernel& kernel) {
  const long page = kernel.MapRing(opened.event.fd(), PageBytes());  // the control page alone
  if (page > 0 || page <= -4096) {
    return EventPage(kernel, reinterpret_cast<void*>(page), PageBytes());
  }
  return {};
}

void CloseEvent(OpenedEvent& opened, CountingMemory& memory, Kernel& kernel) {
  opened.page = {};
  if (!opened.event || memory.Keep(opened.event, opened.attr, kernel)) return;
  opened.event.Close();
}

}  // namespace csink
