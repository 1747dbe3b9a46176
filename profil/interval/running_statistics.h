#pragma once

#include <cmath>

#include "profil/interval/value_rule.h"

namespace csink {

/// A sum that loses nothing worth the name however many terms it has: what each addition rounds
/// away is summed up beside it (A. Neumaier, "Rundungsfehleranalyse einiger Verfahren zur Summation
/// endlicher Summen", 1974). With long double the error stays below 2^-64 of the result and
/// n * 2^-127 of the sum of magnitudes.
class CompensatedSum {
 public:
  void Add(long double term) noexcept {
    const long double sum = sum_ + term;
    rounded_ += std::fabs(sum_) >= std::fabs(term) ? (sum_ - sum) + term : (term - sum) + sum_;
    sum_ = sum;
  }
  long double value() const noexcept { return sum_ + rounded_; }

 private:
  long double sum_ = 0, rounded_ = 0;
};

/// Minimum, maximum, mean and sum of values that come at the ends of intervals. In the mean a value
/// weighs as much as the interval that it ends. All are 0 before the first value.
/// Threads: one at a time.
class RunningStatistics {
 public:
  /// Values that are not finite are left out: one of them would spoil all that follow.
  void Add(unsigned fields, long double value, long double weight_ns) noexcept {
    if (!std::isfinite(value)) return;
    if (fields & (1u << kMinimum | 1u << kMaximum)) {
      if (none_ || value < minimum_) minimum_ = value;
      if (none_ || value > maximum_) maximum_ = value;
      none_ = false;
    }
    if (fields & 1u << kSum) sum_.Add(value);
    if (fields & 1u << kMean) {
      weighted_.Add(value * weight_ns);
      weight_ += weight_ns;
      mean_ = weight_ > 0 ? weighted_.value() / weight_ : value;
    }
  }

  /// out[kMinimum..kSum] of the wanted fields; others are not touched.
  void Store(unsigned fields, long double* out) const noexcept {
    if (fields & 1u << kMinimum) out[kMinimum] = minimum_;
    if (fields & 1u << kMaximum) out[kMaximum] = maximum_;
    if (fields & 1u << kMean) out[kMean] = mean_;
    if (fields & 1u << kSum) out[kSum] = sum_.value();
  }

 private:
  bool none_ = true;
  long double minimum_ = 0, maximum_ = 0, mean_ = 0;
  CompensatedSum sum_, weighted_;
  long double weight_ = 0;  ///< ns in whole numbers below 2^64: exact
};

}  // namespace csink
