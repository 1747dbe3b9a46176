#pragma once

#include <cstdint>

namespace csink {

/// How value1 comes from the last two values0 (s0, s1) and their times (t0, t1, in ns). The numbers
/// are those of APAPI's enum APAPI_op1.
enum class IntervalOperation : std::uint8_t {
  kNone = 0,
  kDifference = 1,     ///< s1 - s0
  kPerTime = 2,        ///< s1 / (t1 - t0)
  kTimesTime = 3,      ///< s1 * (t1 - t0)
  kMeanTimesTime = 4,  ///< (s0 + s1) / 2 * (t1 - t0)
};

/// Places and bits (1 << place) of the statistics; APAPI's enums APAPI_stats_field and APAPI_stats.
enum IntervalField : unsigned { kMinimum = 0, kMaximum = 1, kMean = 2, kSum = 3, kFields = 4 };
inline constexpr unsigned kAllFields = 15;

/// What 64 bits of a raw value or of a value0 are.
enum class ValueType : std::uint8_t { kSigned, kUnsigned, kFloating, kBits };

/// What is made of one counter.
struct ValueRule {
  ValueType type = ValueType::kSigned;
  IntervalOperation operation = IntervalOperation::kNone;
  unsigned fields0 = 0;  ///< Bits: the statistics wanted of value0
  unsigned fields1 = 0;
  /// 0: value0 is the raw value. Else the counter accumulates, this is the largest value that it
  /// takes, and value0 is what it grew by.
  long long largest = 0;
};

}  // namespace csink
