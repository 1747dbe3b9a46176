#include <cstring>

#include "core/counting/components/topdown/topdown_counter_set.h"

// File: the parts of the set that may run in signal handlers: no allocation, arrays of the model's
// size on the stack.

namespace csink::topdown {

// A share that needs an event that was not opened (level 2) is 0.
void TopdownCounterSet::Share(const long long* numbers, long long* values) const noexcept {
  TopdownCounts counts;
  for (std::size_t i = 0; i < counters_.size(); ++i) {
    const TopdownEvent& event = model_.events[i];
    // The factor converts cycles into slots, where the processor has an event of cycles only.
    counts[event.role] = static_cast<double>(numbers[i]) * event.factor;
  }
  // Event 0 of each model counts the slots.
  counts.slots_per_cycle = model_.events[0].factor;
  const TopdownShares shares = SharesOf(model_.formula, counts);
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    double percent = shares.Knows(parts_[i]) ? 100 * shares[parts_[i]] : 0;
    if (percent < 0) percent = 0;  // the counters are not read at exactly the same moment
    if (percent > 100) percent = 100;
    static_assert(sizeof percent == sizeof values[i]);
    std::memcpy(&values[i], &percent, sizeof percent);
  }
}

Result<void> TopdownCounterSet::Read(long long* values) noexcept {
  long long numbers[TopdownModel::kMostEvents] = {};
  const Result<void> read = counters_.Read(numbers);
  if (read) Share(numbers, values);
  return read;
}

Result<void> TopdownCounterSet::ReadAndReset(long long* values) noexcept {
  long long numbers[TopdownModel::kMostEvents] = {};
  const Result<void> read = counters_.ReadAndReset(numbers);
  if (read) Share(numbers, values);
  return read;
}

Result<void> TopdownCounterSet::Write(const long long*) noexcept {
  return Error{Errc::kUnsupported, 0, "counters cannot be set from top-down shares"};
}

void TopdownCounterSet::Times(std::size_t, std::uint64_t* enabled_ns,
                              std::uint64_t* running_ns) const noexcept {
  // Reports the event that was on a counter for the smallest part of the time.
  counters_.Times(0, enabled_ns, running_ns);
  for (std::size_t i = 1; i < counters_.size(); ++i) {
    std::uint64_t enabled = 0;
    std::uint64_t running = 0;
    counters_.Times(i, &enabled, &running);
    // A share is a quotient of several counts, so it is as uncertain as the least measured of them.
    if (running >= *running_ns) continue;
    *enabled_ns = enabled;
    *running_ns = running;
  }
}

}  // namespace csink::topdown
