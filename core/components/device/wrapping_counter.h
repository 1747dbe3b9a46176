#pragma once

#include <cstdint>

namespace csink {

/// Extends a counter of a device, which goes back to 0 after its largest value, to 64 bits.
///
/// Between two reads it may wrap once; more often is what DeviceReader watches for
/// (longest_gap_ns). One that goes backwards by more than its power can explain was reset (a driver
/// loaded anew, a suspended machine): what it counted since then is taken, or nothing where even
/// that cannot be. Threads: one at a time.
class WrappingCounter {
 public:
  /// `range`: largest value + 1; 0: 64 bits wide. `most_per_second`: what it can grow by.
  WrappingCounter(std::uint64_t range, double most_per_second) noexcept
      : range_(range), most_per_second_(most_per_second) {}

  /// The count since the first call, which gives 0.
  std::uint64_t Take(std::uint64_t raw, std::uint64_t now_ns) noexcept;
  /// How often it was reset in between.
  std::uint64_t resets() const noexcept { return resets_; }
  /// The time in which it wraps when it grows as fast as it can; 0: for ever.
  std::uint64_t wrap_ns() const noexcept;

 private:
  std::uint64_t range_;
  double most_per_second_;
  bool taken_ = false;
  std::uint64_t raw_ = 0;
  std::uint64_t at_ns_ = 0;
  std::uint64_t total_ = 0;
  std::uint64_t resets_ = 0;
};

/// What is taken for the most power of a domain whose limit nobody tells: more than any processor
/// draws, so that its counters are read too often rather than too seldom.
inline constexpr double kMostWatts = 1000;

}  // namespace csink
