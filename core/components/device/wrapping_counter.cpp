#include "core/components/device/wrapping_counter.h"

#include <algorithm>

// File: a value below the last one has wrapped or was reset. The growth decides: what the highest
// power cannot explain was no wrap.

namespace csink {

std::uint64_t WrappingCounter::Take(std::uint64_t raw, std::uint64_t now_ns) noexcept {
  if (!taken_) {
    taken_ = true;
  } else if (raw >= raw_) {
    total_ += raw - raw_;
  } else {
    // Devices update their counters about every millisecond, not at the moment of the read.
    constexpr double kUpdateS = 0.1;
    const double seconds = static_cast<double>(now_ns - std::min(now_ns, at_ns_)) / 1e9;
    // In doubles: the product of a power and a long time may exceed 64 bits.
    const double most = most_per_second_ * (seconds + kUpdateS);
    // The growth if the counter wrapped once.
    const std::uint64_t wrapped = range_ - raw_ + raw;
    if (range_ > raw_ && static_cast<double>(wrapped) <= most) {
      total_ += wrapped;
    } else if (static_cast<double>(raw) <= most) {
      // After a reset the counter has counted from 0 to its present value.
      total_ += raw;
    }
  }
  raw_ = raw;
  at_ns_ = now_ns;
  return total_;
}

std::uint64_t WrappingCounter::wrap_ns() const noexcept {
  if (range_ == 0 || !(most_per_second_ > 0)) return 0;
  // A conversion of a larger double to 64 bits would be undefined. 10^18 ns are 31 years.
  constexpr double kLongest = 1e18;
  const double ns = static_cast<double>(range_) / most_per_second_ * 1e9;
  return static_cast<std::uint64_t>(std::clamp(ns, 1e6, kLongest));
}

}  // namespace csink
