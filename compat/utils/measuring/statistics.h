#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace csink::utils {

/// Statistics of a series of values. All zero for an empty series.
struct Spread {
  std::size_t count = 0;
  long long min = 0;
  long long max = 0;
  double mean = 0;
  double deviation = 0;  ///< sample standard deviation (divisor count - 1), as in papi_cost
};

/// Computes the statistics; the values need not be sorted.
Spread SpreadOf(std::span<const long long> values);

/// The percentile by nearest rank: `percent` percent (0 to 100) of the sorted values are at most
/// the result. 0 for an empty series.
long long Percentile(std::span<const long long> sorted, unsigned percent);

/// For n = 1 to 10: how many values exceed the mean by more than n standard deviations. All 0 where
/// the deviation is 0.
inline constexpr std::size_t kDeviations = 10;
std::array<std::size_t, kDeviations> CountsAboveMean(std::span<const long long> values,
                                                     const Spread& spread);

/// Counts values in `parts` intervals of equal width: a value is in interval (value - min) * parts
/// / (max - min + 1), as in papi_cost of papi-tools 7.0.
struct Histogram {
  long long min = 0;
  long long max = 0;
  std::vector<std::size_t> counts;

  /// The begin of interval `i` as papi_cost of papi-tools prints it. The width is rounded down
  /// there, so values of later intervals may be up to `parts` larger. `i` < counts.size().
  long long Begin(std::size_t i) const;
  /// The smallest value that belongs to interval `i`.
  long long Least(std::size_t i) const;
  /// The largest count of all intervals but the first.
  std::size_t FullestOfOthers() const;
};

/// `parts`: at least 1. `spread` must be that of the same values.
Histogram HistogramOf(std::span<const long long> values, const Spread& spread, std::size_t parts);

}  // namespace csink::utils
