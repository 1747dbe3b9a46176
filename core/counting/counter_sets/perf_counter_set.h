#pragma once

#include <atomic>
#include <memory>
#include <span>
#include <vector>

#include "core/counting/counter_sets/counting_attr.h"
#include "core/counting/counter_sets/event_opener.h"
#include "core/counting/counters/counter_set.h"
#include "core/counting/counters/counter_table.h"
#include "core/counting/counters/quick_read.h"
#include "core/counting/counters/slice_timer.h"

namespace csink {

/// The events that a set may be asked for, and what is known of the machine's counters. One object
/// for each component; it must outlive its sets. Threads: one at a time, but memory() any.
class CountableEvents {
 public:
  virtual ~CountableEvents() = default;
  /// Stores how to open event number `event` (CounterRequest::event) in `out`. Returns false if
  /// there is no such event; `out` is then undefined.
  virtual bool Encode(std::uint32_t event, CountableEvent& out) = 0;
  /// The number of events that one turn of software multiplexing may hold. The first call may
  /// measure it.
  virtual std::size_t CountersAtOnce() = 0;
  /// What is known of this machine's counters; the same object for all sets of the component.
  virtual CountingMemory& memory() noexcept = 0;
};

/// Counters made of Linux perf events; CounterSet documents the calls.
///
/// All events share one group where the kernel allows it, so that one read(2) returns all counts.
/// Otherwise there is one group for each PMU (hybrid processors, several uncore PMUs), with a read
/// each. Only the leader of a group is switched: its members count whenever it does. Nothing is
/// reset in the kernel: counts are differences to earlier reads.
/// Multiplexing by the kernel: each event is a group of its own, scaled by enabled / running time.
/// Multiplexing by us: groups take turns (SliceTimer), scaled by the time that each was on.
/// Configure detects hardware groups that are never scheduled, and counters that the PMU advertises
/// but that do not count. No group then grows so large that it needs such a counter. Multiplexing
/// by the kernel would use them, and is replaced by ours where the caller's own thread is counted.
/// User-space reads (rdpmc, pmevcntr) are used by the thread that opened the events, where each
/// event of a group has a page; otherwise read(2).
/// Owns:    descriptors, pages, tables. Threads: one at a time. Signals: the calls that are defined
/// in perf_counter_read_signal.cpp.
class PerfCounterSet final : public CounterSet {
 public:
  PerfCounterSet(Kernel& kernel, CountableEvents& events) noexcept;
  ~PerfCounterSet() override;

  Result<void> Configure(std::span<const CounterRequest> requests,
                         const CountingOptions& options) override;
  /// Counters, not perf events: an uncore counter has one event a package.
  std::size_t size() const noexcept override { return requests_.size(); }
  Result<void> Start() override;
  Result<void> Stop() override;
  Result<void> Read(long long* values) noexcept override;
  Result<void> Reset() noexcept override;
  Result<void> ReadAndReset(long long* values) noexcept override;
  Result<void> Write(const long long* values) noexcept override;
  bool running() const noexcept override { return running_; }
  const QuickRead* quick() const noexcept override { return may_be_quick_ ? &quick_ : nullptr; }
  /// The first event of counter `i`, and the leader of its group; -1: there is no such counter.
  int fd(std::size_t i) const noexcept override;
  int leader_fd(std::size_t i) const noexcept override;
  void EndThrottle(std::size_t i) noexcept override;
  pid_t counted_tid() const noexcept override { return counted_tid_; }
  void Times(std::size_t i, std::uint64_t* enabled_ns,
             std::uint64_t* running_ns) const noexcept override;
  void ForgetAfterFork() noexcept override;

  /// Whether a Read by the calling thread would make no system call now. The set must be
  /// configured.
  bool ReadableInUserSpace() noexcept;

 private:
  struct Plan;
  /// Decides which open events stay for these requests.
  Plan MakePlan(std::span<const CounterRequest> requests, const CountingOptions& options) const;
  /// Opens the new events of a plan into `groups`, and checks that all are scheduled.
  Result<void> OpenPlanned(std::span<const CounterRequest> requests, const CountingOptions& options,
                           const Plan& plan, std::vector<OpenedGroup>& groups);
  /// Configures by adding and removing events; on failure the set is as before.
  Result<void> Add(std::span<const CounterRequest> requests, const CountingOptions& options,
                   const Plan& plan);
  /// Configures by opening everything anew; on failure the set is as before.
  Result<void> Replace(std::span<const CounterRequest> requests, const CountingOptions& options);
  /// Closes the events whose counter is Plan::kGone, and groups that are empty then.
  void DropUnused();
  /// Replaces multiplexing by the kernel by ours where the kernel's would use dead counters.
  CountingOptions Usable(const CountingOptions& options);
  /// Maps or unmaps the pages for user-space reads.
  void MapPages(std::span<const CounterRequest> requests);
  /// Fills the arrays that handlers read. Counts start at zero.
  void BuildTable(const CountingOptions& options);
  /// Fills `quick_` where the set has the form that QuickRead reads.
  void BuildQuickRead() noexcept;
  /// Takes over what the events counted during CheckScheduling.
  void KeepLastCounts() noexcept;
  /// Closes all events of `groups` and empties the vector.
  void CloseAll(std::vector<OpenedGroup>& groups) noexcept;
  /// Enable and disable the groups, or the turns of software multiplexing.
  Result<void> SwitchOn() noexcept;
  Result<void> SwitchOff() noexcept;
  /// Reads all slots; keeps turns from changing meanwhile.
  Result<void> RefreshRunning() noexcept;
  /// Whether the lock of the turns was taken; the caller must then unlock it.
  bool TurnsTaken() noexcept;

  Kernel& kernel_;
  CountableEvents& events_;
  /// As of the last successful Configure.
  std::vector<CounterRequest> requests_;
  CountingOptions options_;
  /// The open events, in the order of the slots.
  std::vector<OpenedGroup> opened_;
  // The arrays that `table_` points to.
  CacheLineVector<CounterSlot> slots_;
  std::vector<CounterGroup> groups_;
  CacheLineVector<CounterValue> values_;
  /// Room for the values that Stop computes but does not return, so that Stop needs no heap.
  std::vector<long long> scratch_;
  CounterTable table_;
  QuickRead quick_;
  /// `quick_` is valid.
  bool may_be_quick_ = false;
  SliceTimer turns_;
  /// ThisThread() of the thread that called Configure; counted_tid_ is the kernel's id of the
  /// counted thread, 0 where a processor is counted.
  std::uint64_t owner_thread_ = 0;
  pid_t counted_tid_ = 0;
  bool running_ = false;
  /// Cleared before the kernel stops the events, and set before they start: EndThrottle must not
  /// start a group that Stop has just stopped.
  std::atomic<bool> switched_on_{false};
  bool written_ = false;  ///< Write was called while stopped: Start keeps the written values
};

}  // namespace csink
