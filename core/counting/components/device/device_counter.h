#pragma once

#include <cstdint>
#include <optional>

/// File: the one rule for counters that devices keep, such as energies.

namespace csink {

/// Extends a device's counter to 64 bits and judges each reading.
///
///   DeviceCounter energy({.range = std::uint64_t{1} << 32, .most_per_second = most});
///   const auto taken = energy.Take(raw, MonotonicNs());
///
/// A reading is refused if it lies above the range, or grew since the last good one, wraps
/// included, by more than the device can have used. What follows refused readings:
/// - The next good reading bridges them: the difference to the last good one counts.
/// - A counter that was set back (its driver was loaded anew, the machine was suspended) is taken
///   as such only when a reading has grown from the refused one. Two equal refused readings are a
///   device that repeats an error. What was used since the last good reading is then not known:
///   `anew` says so.
/// - Where a reading fits both, the counter is taken as set back, unless the growth since the
///   refused reading would be a power far above all that was seen. This loses a stretch and never
///   adds a wrong number.
/// A counter may wrap once between two reads; DeviceReader prevents longer gaps and says what they
/// may hide (longest_gap_ns).
/// Threads: one at a time. Signals: safe.
class DeviceCounter {
 public:
  struct Limits {
    std::uint64_t range = 0;     ///< The largest value + 1; 0: 64 bits, which never wrap
    double most_per_second = 0;  ///< The highest growth in counts a second
    /// How long the device may take from one update of the counter to the next, in s.
    double update_seconds = 1;
  };
  struct Taken {
    /// All growth that is known. Of a counter that never wraps it begins with the first value, of
    /// others with 0.
    std::uint64_t total = 0;
    bool anew = false;  ///< The growth since the last good reading is not known; `total` lacks it
  };

  explicit DeviceCounter(const Limits& limits) noexcept : limits_(limits) {}

  /// Takes a value read at `now_ns` (CLOCK_MONOTONIC; if it goes back, no time has passed).
  /// nullopt: the reading is refused.
  std::optional<Taken> Take(std::uint64_t raw, std::uint64_t now_ns) noexcept;

 private:
  struct Value {
    std::uint64_t raw = 0;
    std::uint64_t at_ns = 0;
  };
  struct Growth {
    std::uint64_t counts = 0;
    double seconds = 0;
  };
  /// What the counter grew by from `before` to `now`; nullopt: it cannot have.
  std::optional<Growth> GrowthFrom(const Value& before, const Value& now) const noexcept;
  /// Whether the counter can have been set back before the refused reading, from which it grew so.
  bool MayBeAnew(const Growth& since_refused) const noexcept;

  Limits limits_;
  std::optional<Value> last_, refused_;
  std::uint64_t total_ = 0;
  double fastest_ = 0;  ///< The highest growth a second that was seen; 0: none
};

/// The time in ns in which a counter wraps at its highest growth, at least 1 ms; 0: it never wraps.
std::uint64_t WrapNs(std::uint64_t range, double most_per_second) noexcept;

/// The power in W that is assumed where no limit is known: more than any processor draws, so that
/// counters are read too often rather than too seldom.
inline constexpr double kMostWatts = 1000;

}  // namespace csink
