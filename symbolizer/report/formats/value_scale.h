#pragma once

#include <cstdint>
#include <limits>

/// File: sums that do not fit, for formats whose readers add 63-bit numbers up.

namespace csink::report {

inline constexpr std::uint64_t kMostSigned =
    static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());

inline std::uint64_t ClampToSigned(std::uint64_t value) {
  return value < kMostSigned ? value : kMostSigned;
}

/// The exact sum of up to 2^64 numbers.
class WideSum {
 public:
  void Add(std::uint64_t value) {
    low_ += value;
    if (low_ < value) ++high_;
  }
  /// Bits that each number must give up so that their sum fits in 63.
  unsigned ShiftForSigned() const {
    unsigned shift = 0;
    for (std::uint64_t high = high_, low = low_; high != 0 || low > kMostSigned; ++shift) {
      low = low >> 1 | high << 63;
      high >>= 1;
    }
    return shift;
  }

 private:
  std::uint64_t low_ = 0;
  std::uint64_t high_ = 0;
};

}  // namespace csink::report
