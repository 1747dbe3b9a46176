#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace csink::utils {

/// What a row of measurements tells about itself. Of no measurement: all zero.
struct Spread {
  std::size_t count = 0;
  long long min = 0;
  long long max = 0;
  double mean = 0;
  double deviation = 0;  ///< of the sample (divided by count - 1), as papi_cost gives it
};

Spread SpreadOf(std::span<const long long> values);

/// The value that `percent` of the sorted values do not exceed (nearest rank); 0 of none.
long long Percentile(std::span<const long long> sorted, unsigned percent);

/// How many values lie more than one, two, ... ten deviations above the mean.
inline constexpr std::size_t kDeviations = 10;
std::array<std::size_t, kDeviations> CountsAboveMean(std::span<const long long> values,
                                                     const Spread& spread);

/// The range of the values in parts of equal width: a value lies in part
/// (value - min) * parts / (max - min + 1), as with papi_cost of papi-tools 7.0.
struct Histogram {
  long long min = 0;
  long long max = 0;
  std::vector<std::size_t> counts;

  /// Where part `i` begins, as papi_cost of papi-tools prints it: the width is rounded down, so
  /// that what lies in later parts is up to `parts` more.
  long long Begin(std::size_t i) const;
  /// The least value that lies in part `i`.
  long long Least(std::size_t i) const;
  /// The fullest of the parts behind the first.
  std::size_t FullestOfOthers() const;
};

/// `parts` is at least 1.
Histogram HistogramOf(std::span<const long long> values, const Spread& spread, std::size_t parts);

}  // namespace csink::utils
