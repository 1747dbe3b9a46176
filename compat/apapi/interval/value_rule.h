#pragma once

#include <cstdint>

namespace csink {

/// How value1 is computed from the last two value0 (s0, s1) and their times (t0, t1, in ns). The
/// numbers are those of APAPI's enum APAPI_op1.
enum class IntervalOperation : std::uint8_t {
  kNone = 0,
  kDifference = 1,     ///< s1 - s0
  kPerTime = 2,        ///< s1 / (t1 - t0)
  kTimesTime = 3,      ///< s1 * (t1 - t0)
  kMeanTimesTime = 4,  ///< (s0 + s1) / 2 * (t1 - t0)
};

/// Indices and bits (1 << index) of the statistics: APAPI's enums APAPI_stats_field and
/// APAPI_stats.
enum IntervalField : unsigned { kMinimum = 0, kMaximum = 1, kMean = 2, kSum = 3, kFields = 4 };
/// The bits of all four statistics.
inline constexpr unsigned kAllFields = 15;

/// The type of the 64 bits of a raw value or value0. kBits: a bit field, processed as unsigned.
enum class ValueType : std::uint8_t { kSigned, kUnsigned, kFloating, kBits };

/// How the values of one counter are processed. Set once, before the first value. value0 is the raw
/// value or its growth (`largest`), value1 the result of `operation`. A plain value; any thread.
struct ValueRule {
  ValueType type = ValueType::kSigned;
  IntervalOperation operation = IntervalOperation::kNone;
  unsigned fields0 = 0;  ///< Bits of the statistics that are wanted for value0
  /// The same for value1
  unsigned fields1 = 0;
  /// 0: value0 is the raw value. Otherwise the counter accumulates, `largest` is its largest value,
  /// and value0 is its growth.
  long long largest = 0;
  /// Rates (kPerTime) of intervals shorter than this, in ns, do not enter minimum and maximum: a
  /// counter that moves in steps has a rate far off in an interval of few steps. They enter mean
  /// and sum. 0: all intervals count.
  long long shortest_ns = 0;
  /// The counter moves in steps whose period may be as long as an interval: minimum and maximum of
  /// rates are those of StepWindow.
  bool has_steps = false;
  /// The period of these steps, in ns; 0: not known.
  long long update_ns = 0;
};

}  // namespace csink
