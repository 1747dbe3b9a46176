#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/counting/counter_sets/perf_counter_set.h"
#include "core/topdown/topdown_model.h"

/// File: the counter set of the component topdown: a PerfCounterSet over the model's events, whose
/// counts become shares at the read.

namespace csink::topdown {

/// The events of a model as perf events. They are read by read(2) only: rdpmc on Intel's metrics
/// returns fields of a register, not counts.
class ModelEvents final : public CountableEvents {
 public:
  /// Copies the model. Event numbers are indices in it.
  explicit ModelEvents(const TopdownModel& model) noexcept : model_(model) {}
  const TopdownModel& model() const noexcept { return model_; }

  /// Event `event` is the model's event of that index. Returns false if there is none.
  bool Encode(std::uint32_t event, CountableEvent& out) override;
  /// One turn of software multiplexing may hold the whole model.
  std::size_t CountersAtOnce() override { return model_.count; }
  CountingMemory& memory() noexcept override { return memory_; }

 private:
  const TopdownModel model_;
  /// Of the sets of this component alone: its events are not those of perf_event.
  CountingMemory memory_;
};

/// Shares of slots in percent, each as the bits of a double. An event's number is its TopdownPart +
/// 1.
///
/// All level 1 events are counted in one group, whichever parts are asked for; level 2 events only
/// where a part of level 2 is asked for. Where the group does not fit the counters, the kernel
/// multiplexes the events (except Intel's metrics, which by the kernel's rule are one group). While
/// no slot was counted, each share is 0.
///
/// Owns:    the counters. Threads: one at a time, as CounterSet.
/// Signals: Read and Reset are safe while running.
class TopdownCounterSet final : public CounterSet {
 public:
  /// `events` must outlive the set.
  TopdownCounterSet(Kernel& kernel, ModelEvents& events) noexcept
      : model_(events.model()), counters_(kernel, events) {}

  /// Also fails with kUnsupported for sampling (shares do not overflow), and with kNoEvent for a
  /// number that is no part. kConflict: another user holds the counters. After an error the set is
  /// unchanged.
  Result<void> Configure(std::span<const CounterRequest> requests,
                         const CountingOptions& options) override;
  std::size_t size() const noexcept override { return parts_.size(); }
  Result<void> Start() override { return counters_.Start(); }
  Result<void> Stop() override { return counters_.Stop(); }
  /// Stores values[size()], each the bits of a double from 0 to 100.
  Result<void> Read(long long* values) noexcept override;
  Result<void> Reset() noexcept override { return counters_.Reset(); }
  Result<void> ReadAndReset(long long* values) noexcept override;
  /// Always kUnsupported: counts cannot be computed from shares.
  Result<void> Write(const long long* values) noexcept override;
  bool running() const noexcept override { return counters_.running(); }
  /// No event of the user's stands for one perf event.
  int fd(std::size_t) const noexcept override { return -1; }
  pid_t counted_tid() const noexcept override { return counters_.counted_tid(); }
  /// The times of the event that was counted for the smallest part of the time, whatever `i` is.
  void Times(std::size_t i, std::uint64_t* enabled_ns,
             std::uint64_t* running_ns) const noexcept override;
  void ForgetAfterFork() noexcept override;

 private:
  /// Computes the shares of parts_ from the counts of the model's events.
  void Share(const long long* counts, long long* values) const noexcept;

  /// The events' copy.
  const TopdownModel& model_;
  PerfCounterSet counters_;
  /// In the order of Configure.
  std::vector<TopdownPart> parts_;
};

}  // namespace csink::topdown
