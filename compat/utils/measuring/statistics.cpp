#include "compat/utils/measuring/statistics.h"

#include <algorithm>
#include <cmath>

/// File: statistics of costs. Costs have a long tail where other programs and interrupts take the
/// processor, so the tools also show percentiles and a histogram.

namespace csink::utils {

Spread SpreadOf(std::span<const long long> values) {
  Spread spread;
  if (values.empty()) return spread;
  spread.count = values.size();
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  spread.min = *least;
  spread.max = *most;
  // Sums are relative to the smallest value, so that no digits are lost if the values are large and
  // close together.
  double sum = 0;
  for (const long long value : values) sum += static_cast<double>(value - spread.min);
  const auto count = static_cast<double>(spread.count);
  const double mean = sum / count;
  spread.mean = static_cast<double>(spread.min) + mean;
  // One value has no deviation: the divisor is n - 1.
  if (spread.count == 1) return spread;
  double squares = 0;
  for (const long long value : values) {
    const double off = static_cast<double>(value - spread.min) - mean;
    squares += off * off;
  }
  spread.deviation = std::sqrt(squares / (count - 1));
  return spread;
}

// Nearest rank: the smallest rank that is at least percent / 100 of the number of values.
long long Percentile(std::span<const long long> sorted, unsigned percent) {
  if (sorted.empty()) return 0;
  const std::size_t rank = (sorted.size() * percent + 99) / 100;
  return sorted[std::clamp<std::size_t>(rank, 1, sorted.size()) - 1];
}

std::array<std::size_t, kDeviations> CountsAboveMean(std::span<const long long> values,
                                                     const Spread& spread) {
  std::array<std::size_t, kDeviations> counts = {};
  // All values are equal, so none is above the mean.
  if (spread.deviation <= 0) return counts;
  for (const long long value : values) {
    const double above = static_cast<double>(value) - spread.mean;
    for (std::size_t i = 0; i < kDeviations; ++i) {
      if (above <= static_cast<double>(i + 1) * spread.deviation) break;
      ++counts[i];
    }
  }
  return counts;
}

// max - min + 1 values are divided into equal parts, so the largest one is in the last part.
Histogram HistogramOf(std::span<const long long> values, const Spread& spread, std::size_t parts) {
  Histogram histogram = {spread.min, spread.max, std::vector<std::size_t>(parts)};
  __extension__ using Wide = __int128;  // (value - min) * parts may not fit 64 bits
  const Wide width = static_cast<Wide>(spread.max) - spread.min + 1;
  for (const long long value : values) {
    const Wide off = static_cast<Wide>(value) - spread.min;
    ++histogram.counts[static_cast<std::size_t>(off * static_cast<Wide>(parts) / width)];
  }
  return histogram;
}

long long Histogram::Begin(std::size_t i) const {
  return min + static_cast<long long>(i) * ((max - min) / static_cast<long long>(counts.size()));
}

// The inverse of HistogramOf, rounded up: the first value that falls into interval i.
long long Histogram::Least(std::size_t i) const {
  __extension__ using Wide = __int128;
  const auto parts = static_cast<Wide>(counts.size());
  const Wide width = static_cast<Wide>(max) - min + 1;
  return static_cast<long long>(min + (static_cast<Wide>(i) * width + parts - 1) / parts);
}

// The first interval holds nearly all values of a cost and would make all other bars invisible.
std::size_t Histogram::FullestOfOthers() const {
  return counts.size() < 2 ? 0 : *std::max_element(counts.begin() + 1, counts.end());
}

}  // namespace csink::utils
