#pragma once

#include <cstdint>

/// File: counters of fewer than 64 bits.

namespace csink {

/// Extends a device's counter, which returns to 0 after its largest value, to 64 bits.
///
///   WrappingCounter energy(std::uint64_t{1} << 32, kMostWatts * counts_per_joule);
///   const std::uint64_t counts = energy.Take(raw, MonotonicNs());
///
/// The counter may wrap once between two reads; DeviceReader prevents longer gaps (longest_gap_ns).
/// A counter that went backwards by more than the highest power can explain was reset (the driver
/// was loaded again, or the machine was suspended): its new value is taken as the growth, or 0
/// where even that is implausible. Several wraps between two reads cannot be told from one.
/// Threads: one at a time. Signals: safe.
class WrappingCounter {
 public:
  /// `range`: the largest value + 1; 0: 64 bits, which never wrap. `most_per_second`: its highest
  /// growth in counts a second; only used to tell a wrap from a reset, and for wrap_ns.
  WrappingCounter(std::uint64_t range, double most_per_second) noexcept
      : range_(range), most_per_second_(most_per_second) {}

  /// Takes a value read at `now_ns` (CLOCK_MONOTONIC) and returns the growth since the first call,
  /// which returns 0. Requires raw < range. Times must not go back; if one does, no time has
  /// passed.
  std::uint64_t Take(std::uint64_t raw, std::uint64_t now_ns) noexcept;
  /// The time in ns in which the counter wraps at its highest growth, at least 1 ms; 0: it never
  /// wraps.
  std::uint64_t wrap_ns() const noexcept;

 private:
  std::uint64_t range_;
  double most_per_second_;
  bool taken_ = false;
  /// The last value and its time; valid where taken_ is true.
  std::uint64_t raw_ = 0;
  std::uint64_t at_ns_ = 0;
  std::uint64_t total_ = 0;
};

/// The power in W that is assumed where no limit is known: more than any processor draws, so that
/// counters are read too often rather than too seldom.
inline constexpr double kMostWatts = 1000;

}  // namespace csink
