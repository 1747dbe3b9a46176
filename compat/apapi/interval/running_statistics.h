#pragma once

#include <cmath>

#include "compat/apapi/interval/value_rule.h"

namespace csink {

/// A compensated sum for any number of terms: the rounding error of each addition is summed up
/// separately (A. Neumaier, "Rundungsfehleranalyse einiger Verfahren zur Summation endlicher
/// Summen", 1974). With long double, the error is below 2^-64 of the result plus n * 2^-127 of the
/// sum of magnitudes.
/// Threads: one at a time.
class CompensatedSum {
 public:
  /// Adds a finite term. The smaller of the two addends loses bits; they are computed and kept.
  void Add(long double term) noexcept {
    const long double sum = sum_ + term;
    rounded_ += std::fabs(sum_) >= std::fabs(term) ? (sum_ - sum) + term : (term - sum) + sum_;
    sum_ = sum;
  }
  /// The sum so far; 0 without terms. Rounded once, here.
  long double value() const noexcept { return sum_ + rounded_; }

 private:
  long double sum_ = 0, rounded_ = 0;
};

/// Minimum, maximum, mean and sum of values at the ends of intervals. The mean is weighted with the
/// length of the interval that ends at the value. All are 0 before the first value.
/// Threads: one at a time.
class RunningStatistics {
 public:
  /// Adds the value at the end of an interval of `weight_ns`. `fields`: bits 1 << IntervalField of
  /// the statistics to keep; the same in all calls. Ignores values that are not finite: one of them
  /// would make all later results useless. `may_be_extreme` false: the value does not enter minimum
  /// and maximum; while all values are such values, both are the mean of these.
  void Add(unsigned fields, long double value, long double weight_ns,
           bool may_be_extreme = true) noexcept {
    if (!std::isfinite(value)) return;
    if (!may_be_extreme) {
      short_weighted_ += value * weight_ns;
      short_weight_ += weight_ns;
    } else {
      AddExtreme(fields, value);
    }
    if (fields & 1u << kSum) sum_.Add(value);
    if (fields & 1u << kMean) {
      weighted_.Add(value * weight_ns);
      weight_ += weight_ns;
      mean_ = weight_ > 0 ? weighted_.value() / weight_ : value;
    }
  }

  /// Adds a value to minimum and maximum only.
  void AddExtreme(unsigned fields, long double value) noexcept {
    if (!(fields & (1u << kMinimum | 1u << kMaximum)) || !std::isfinite(value)) return;
    if (none_ || value < minimum_) minimum_ = value;
    if (none_ || value > maximum_) maximum_ = value;
    none_ = false;
  }

  /// Stores the wanted fields in out[kMinimum..kSum], an array of kFields numbers; other elements
  /// are unchanged.
  void Store(unsigned fields, long double* out) const noexcept {
    const bool only_short = none_ && short_weight_ > 0;
    const long double of_short = only_short ? short_weighted_ / short_weight_ : 0;
    if (fields & 1u << kMinimum) out[kMinimum] = only_short ? of_short : minimum_;
    if (fields & 1u << kMaximum) out[kMaximum] = only_short ? of_short : maximum_;
    if (fields & 1u << kMean) out[kMean] = mean_;
    if (fields & 1u << kSum) out[kSum] = sum_.value();
  }

 private:
  bool none_ = true;
  long double minimum_ = 0, maximum_ = 0, mean_ = 0;
  /// Values that are no extremes, weighted with their intervals; few, so they are summed plainly
  long double short_weighted_ = 0, short_weight_ = 0;
  CompensatedSum sum_, weighted_;
  long double weight_ = 0;  ///< In ns: whole numbers below 2^64 are exact
};

}  // namespace csink
