#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "core/counting/counter_sets/counting_attr.h"
#include "core/counting/counters/counter_set.h"
#include "core/counting/counters/counter_table.h"
#include "core/perf/perf_event.h"
#include "core/util/result.h"

namespace csink {

/// What the process has learned about this machine's counters. Shared by all sets of the process.
/// Threads: any. The values are hints: a race costs another try.
class CountingMemory {
 public:
  /// Whether `counters` counters of that PMU (CountersNeeded) have already counted at once.
  bool CountedTogether(std::uint32_t pmu, std::size_t counters) const noexcept {
    return pmu < counted_.size() && counters <= counted_[pmu].load(std::memory_order_relaxed);
  }
  /// Notes that `counters` counters of that PMU have counted at once. Smaller numbers are ignored.
  void RememberTogether(std::uint32_t pmu, std::size_t counters) noexcept {
    if (pmu < counted_.size() && counters > counted_[pmu].load(std::memory_order_relaxed)) {
      counted_[pmu].store(static_cast<std::uint16_t>(counters), std::memory_order_relaxed);
    }
  }

  std::atomic<bool> no_remove_on_exec{false};  ///< The kernel is older than Linux 5.13
  /// Whether `counters` is more than the working counters of that PMU (RememberDead).
  bool MoreThanCount(std::uint32_t pmu, std::size_t counters) const noexcept {
    if (pmu >= alive_.size()) return false;
    const std::uint16_t alive = alive_[pmu].load(std::memory_order_relaxed);
    return alive != 0 && counters > alive;
  }
  /// Whether some of the processor's counters do not count.
  bool HasDead() const noexcept {
    return alive_[PERF_TYPE_RAW].load(std::memory_order_relaxed) != 0;
  }
  /// Notes that only `alive` counters of the PMU count. A virtual machine may advertise more
  /// counters than it has (docs/design/counting.md). Returns true if this was not known before.
  bool RememberDead(std::uint32_t pmu, std::size_t alive) noexcept {
    return pmu < alive_.size() && alive_[pmu].exchange(static_cast<std::uint16_t>(alive),
                                                       std::memory_order_relaxed) != alive;
  }

  /// Sets with at most this many counters are read in user space. 0: impossible, or slower than
  /// read(2); the component measures that. On aarch64 an event must ask for user-space reads when
  /// it is opened.
  std::atomic<std::uint16_t> user_reads_at_most{0};

  /// Takes over an event that is about to be closed, disabled, and keeps it open to the end of the
  /// process, where no event of its kind is kept yet. Why: the kernel patches its own code when the
  /// first event of a kind opens and when the last one closes (75 us each time on the reference
  /// machine). Returns false if the event is not kept; the caller then closes it.
  bool Keep(PerfEvent& event, const perf_event_attr& attr, Kernel& kernel) noexcept;
  /// Closes the kept events. For PAPI_shutdown: counting has ended for the time being.
  void CloseKept(Kernel& kernel) noexcept;

 private:
  /// By PMU (PmuOf): the most counters that have counted at once. PMUs with numbers from 64 on are
  /// not remembered; they are tried each time.
  std::array<std::atomic<std::uint16_t>, 64> counted_{};
  std::array<std::atomic<std::uint16_t>, 64> alive_{};  ///< By PMU: counters that count; 0: all
  /// One bit a kind: 0 to 30 the software events, 31 all hardware events.
  std::atomic<std::uint32_t> kept_kinds_{0};
  std::array<std::atomic<int>, 32> kept_{};  ///< By kind: the descriptor + 1; 0: none is kept
};

/// One open event of a counter. Owns: the descriptor and the page. Movable.
struct OpenedEvent {
  PerfEvent event;
  EventPage page;
  perf_event_attr attr = {};
  std::uint32_t counter = 0;  ///< Index of the counter in its set
  bool software = false;
  bool sampled = false;
  bool user_reads = false;  ///< Its page may be mapped (MapEventPage)
  RawCount now;             ///< As last read
};

/// One group: the leader, then the members that the kernel schedules and reads with it, in the
/// order of opening.
struct OpenedGroup {
  std::vector<OpenedEvent> events;
  /// -1: the group counts a thread.
  int cpu = -1;

  /// How many general counters the group needs. The first cycles event needs none where the PMU has
  /// a dedicated cycle counter (arm; the kernel leaves it to user space to know what fits).
  std::size_t CountersNeeded() const;
  /// The PMU of its hardware events; 0: there is none yet. PmuOf never returns 0
  /// (PERF_TYPE_HARDWARE).
  std::uint32_t Pmu() const;
};

/// Opens the events of one configuration: chooses the group that each event joins, leaves out what
/// older kernels do not know, and explains refusals.
/// Owns:    nothing; kernel, memory and options must outlive it.
/// Threads: one at a time.
class EventOpener {
 public:
  /// `counters_at_once`: the most events of a group in software multiplexing; otherwise not used.
  EventOpener(Kernel& kernel, CountingMemory& memory, const CountingOptions& options,
              std::size_t counters_at_once)
      : kernel_(kernel), memory_(memory), options_(options), counters_at_once_(counters_at_once) {}

  /// Opens `event` for counter number `counter`, in the first group of `groups` where it fits,
  /// otherwise in a new group at the end. After a failure some events of it may have been added to
  /// `groups`; the caller must remove them.
  /// Errors: kConflict (does not count together with the others), kPermission, kNoEvent, kLimit,
  /// kInvalid, kUnsupported, kSystem.
  Result<void> Open(std::vector<OpenedGroup>& groups, const CountableEvent& event,
                    const SamplingRequest& sampling, std::uint32_t counter);

  /// Checks that the kernel really schedules all `groups`: a PMU may accept more events than it has
  /// counters. Enables, reads and disables them, or copies of them where they must not run. Makes
  /// no system call for software events, and for as many events of a PMU as have counted together
  /// before.
  /// Errors: kConflict (also for dead counters), or ErrcFromErrno of switching.
  Result<void> CheckScheduling(std::vector<OpenedGroup>& groups);

 private:
  struct Place {
    pid_t tid;
    int cpu;
  };
  /// The thread and processor to open on; `cpu` -1: for a thread.
  Place PlaceOn(int cpu) const noexcept;
  /// Open on one processor, or on a thread (`cpu` -1).
  Result<void> OpenOn(std::vector<OpenedGroup>& groups, const CountableEvent& event,
                      const SamplingRequest& sampling, std::uint32_t counter, int cpu);
  /// Whether the event may become a member of the group; the kernel decides whether it fits.
  bool MayJoin(const OpenedGroup& group, const CountableEvent& event, int cpu) const;
  /// Open the event as the leader of a new group, or as a member; explain a refusal.
  Result<OpenedEvent> OpenLeader(const CountableEvent& event, const SamplingRequest& sampling,
                                 int cpu);
  Result<OpenedEvent> OpenMember(const OpenedGroup& group, const CountableEvent& event,
                                 const SamplingRequest& sampling, int cpu);
  /// Makes an OpenedEvent of what perf_event_open(2) returned, and directs its signals.
  Result<OpenedEvent> Finish(long fd, const perf_event_attr& attr, const CountableEvent& event,
                             const SamplingRequest& sampling);
  /// OpenWithLadder with the precision that `sampling` asks for.
  long OpenSampled(perf_event_attr& attr, const SamplingRequest& sampling,
                   const CountableEvent& event, const Place& place, int group_fd);
  /// perf_event_open(2), leaving out what older kernels refuse. A descriptor, or -errno.
  long OpenWithLadder(perf_event_attr& attr, const Place& place, int group_fd);
  /// Whether a page of the event may be mapped for user-space reads (MapEventPage).
  bool MayReadInUserSpace(const CountableEvent& event, const SamplingRequest& sampling) const;
  /// Whether CheckScheduling must try: several hardware groups, or more counters than known to
  /// work.
  bool NeedsCheck(const std::vector<OpenedGroup>& groups) const;
  /// Checks with copies of the events on the calling thread.
  Result<void> Rehearse(const std::vector<OpenedGroup>& groups);
  /// Checks with the events themselves.
  Result<void> RunBriefly(std::vector<OpenedGroup>& groups);
  Result<void> FindDeadCounters(std::uint32_t pmu, std::size_t counters);

  Kernel& kernel_;
  CountingMemory& memory_;
  const CountingOptions& options_;
  std::size_t counters_at_once_;
};

/// Maps the page for user-space reads; empty: it cannot be mapped, and the event is read by
/// read(2).
EventPage MapEventPage(const OpenedEvent& opened, Kernel& kernel);

/// Closes an event, or passes it to `memory` (CountingMemory::Keep), after its page was unmapped.
/// Only for an event whose whole group is closed: a kept event stays a member of its group.
void CloseEvent(OpenedEvent& opened, CountingMemory& memory, Kernel& kernel);

}  // namespace csink
