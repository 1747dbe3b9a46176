#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "core/counter_sets/counting_attr.h"
#include "core/counting/counter_set.h"
#include "core/counting/counter_table.h"
#include "core/perf/perf_event.h"
#include "core/util/result.h"

namespace csink {

/// What was learned of this machine's counters and holds for all sets of the process.
/// Threads: any; hints, races only cost another try.
class CountingMemory {
 public:
  /// Whether as many counters of that PMU (CountersNeeded) have already been seen to count at once.
  bool CountedTogether(std::uint32_t pmu, std::size_t counters) const noexcept {
    return pmu < counted_.size() && counters <= counted_[pmu].load(std::memory_order_relaxed);
  }
  void RememberTogether(std::uint32_t pmu, std::size_t counters) noexcept {
    if (pmu < counted_.size() && counters > counted_[pmu].load(std::memory_order_relaxed)) {
      counted_[pmu].store(static_cast<std::uint16_t>(counters), std::memory_order_relaxed);
    }
  }

  std::atomic<bool> no_remove_on_exec{false};  ///< Older than Linux 5.13
  /// Whether that many counters of that PMU are more than those that count (RememberDead).
  bool MoreThanCount(std::uint32_t pmu, std::size_t counters) const noexcept {
    if (pmu >= alive_.size()) return false;
    const std::uint16_t alive = alive_[pmu].load(std::memory_order_relaxed);
    return alive != 0 && counters > alive;
  }
  /// Whether some counters of the processor do not count.
  bool HasDead() const noexcept {
    return alive_[PERF_TYPE_RAW].load(std::memory_order_relaxed) != 0;
  }
  /// The PMU has more counters than `alive`, and the others do not count: a virtual machine may
  /// advertise what it does not have. True: that is news.
  bool RememberDead(std::uint32_t pmu, std::size_t alive) noexcept {
    return pmu < alive_.size() && alive_[pmu].exchange(static_cast<std::uint16_t>(alive),
                                                       std::memory_order_relaxed) != alive;
  }

  /// Up to how many counters of a set are read in user space: 0 where that is impossible or slower
  /// than read(2) (found out by the component). On aarch64 events must ask for it.
  std::atomic<std::uint16_t> user_reads_at_most{0};

  /// Keeps a closed event of a kind that is not kept yet, disabled, to the end of the process: the
  /// kernel patches its own code when the first event of a kind opens and the last one closes
  /// (75 us each time on the reference machine). False: the caller closes it.
  bool Keep(PerfEvent& event, const perf_event_attr& attr, Kernel& kernel) noexcept;
  /// Closes them: nobody is going to count for now.
  void CloseKept(Kernel& kernel) noexcept;

 private:
  std::array<std::atomic<std::uint16_t>, 64> counted_{};
  std::array<std::atomic<std::uint16_t>, 64> alive_{};  ///< 0: all that there are
  std::atomic<std::uint32_t> kept_kinds_{0};
  std::array<std::atomic<int>, 32> kept_{};  ///< By kind: the descriptor + 1; 0: none
};

/// One event of a counter, open.
struct OpenedEvent {
  PerfEvent event;
  EventPage page;
  perf_event_attr attr = {};
  std::uint32_t counter = 0;  ///< Of the set
  bool software = false;
  bool sampled = false;
  bool user_reads = false;  ///< Its page may be mapped (MapEventPage)
  RawCount now;             ///< As read last
};

/// The leader, then those that the kernel schedules and reads with it, in the order of opening.
struct OpenedGroup {
  std::vector<OpenedEvent> events;
  int cpu = -1;

  /// How many counters that take any event it needs: a first cycles event has one of its own where
  /// the kernel leaves it to us to find out what fits (arm).
  std::size_t CountersNeeded() const;
  /// The PMU of its hardware events; 0 (PERF_TYPE_HARDWARE, which PmuOf never gives): none yet.
  std::uint32_t Pmu() const;
};

/// Opens the events of one configuration: which group each joins, what older kernels do not take,
/// what a refusal means.
/// Threads: one at a time.
class EventOpener {
 public:
  EventOpener(Kernel& kernel, CountingMemory& memory, const CountingOptions& options,
              std::size_t counters_at_once)
      : kernel_(kernel), memory_(memory), options_(options), counters_at_once_(counters_at_once) {}

  /// Opens `event` for counter number `counter`, in a group of `groups` where it fits, else in a
  /// new one behind them. On failure events of it may have been added to `groups`: cut them off.
  /// Errors: kConflict (does not count together with the others), kPermission, kNoEvent, kLimit,
  /// kInvalid, kUnsupported, kSystem.
  Result<void> Open(std::vector<OpenedGroup>& groups, const CountableEvent& event,
                    const SamplingRequest& sampling, std::uint32_t counter);

  /// Whether all `groups` are really scheduled, where that is not known yet (a PMU may accept more
  /// events than it has counters): enables, disables and reads them. Nothing is asked of the
  /// kernel for software events, or as many events of a PMU as have counted together before.
  /// Fails with kConflict.
  Result<void> CheckScheduling(std::vector<OpenedGroup>& groups);

 private:
  struct Place {
    pid_t tid;
    int cpu;
  };
  Place PlaceOn(int cpu) const noexcept;
  Result<void> OpenOn(std::vector<OpenedGroup>& groups, const CountableEvent& event,
                      const SamplingRequest& sampling, std::uint32_t counter, int cpu);
  bool MayJoin(const OpenedGroup& group, const CountableEvent& event, int cpu) const;
  Result<OpenedEvent> OpenLeader(const CountableEvent& event, const SamplingRequest& sampling,
                                 int cpu);
  Result<OpenedEvent> OpenMember(const OpenedGroup& group, const CountableEvent& event,
                                 const SamplingRequest& sampling, int cpu);
  Result<OpenedEvent> Finish(long fd, const perf_event_attr& attr, const CountableEvent& event,
                             const SamplingRequest& sampling);
  long OpenSampled(perf_event_attr& attr, const SamplingRequest& sampling,
                   const CountableEvent& event, const Place& place, int group_fd);
  long OpenWithLadder(perf_event_attr& attr, const Place& place, int group_fd);
  bool MayReadInUserSpace(const CountableEvent& event, const SamplingRequest& sampling) const;
  bool NeedsCheck(const std::vector<OpenedGroup>& groups) const;
  Result<void> Rehearse(const std::vector<OpenedGroup>& groups);
  Result<void> RunBriefly(std::vector<OpenedGroup>& groups);
  Result<void> FindDeadCounters(std::uint32_t pmu, std::size_t counters);

  Kernel& kernel_;
  CountingMemory& memory_;
  const CountingOptions& options_;
  std::size_t counters_at_once_;
};

/// The page of user-space reads; empty: there is none, and read(2) does as well.
EventPage MapEventPage(const OpenedEvent& opened, Kernel& kernel);

/// Closes an event, or lets `memory` keep it. For events whose whole group goes.
void CloseEvent(OpenedEvent& opened, CountingMemory& memory, Kernel& kernel);

}  // namespace csink
