#pragma once

#include <cstdint>
#include <limits>

/// File: scales numbers for formats whose readers add them up in 63 bits (pprof's int64 values).

namespace csink::report {

/// Largest value of a signed 64-bit number: 2^63 - 1.
inline constexpr std::uint64_t kMostSigned =
    static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());

/// The value, or kMostSigned if it is larger.
inline std::uint64_t ClampToSigned(std::uint64_t value) {
  return value < kMostSigned ? value : kMostSigned;
}

/// The exact sum of up to 2^64 numbers of 64 bits, in 128 bits.
class WideSum {
 public:
  /// Adds one number. A smaller sum of the low halves than before is a carry.
  void Add(std::uint64_t value) {
    low_ += value;
    if (low_ < value) ++high_;
  }
  /// By how many bits each number must be shifted right so that their sum fits into 63 bits: 0 to
  /// 65. Shifted numbers lose their low bits, so their sum is at most the shifted sum.
  unsigned ShiftForSigned() const {
    unsigned shift = 0;
    for (std::uint64_t high = high_, low = low_; high != 0 || low > kMostSigned; ++shift) {
      low = low >> 1 | high << 63;
      high >>= 1;
    }
    return shift;
  }

 private:
  /// The low and the high 64 bits of the sum.
  std::uint64_t low_ = 0;
  std::uint64_t high_ = 0;
};

}  // namespace csink::report
