#include "symbolizer/report/compare/cpu_ratio.h"

#include <algorithm>
#include <cmath>

#include "profil/statistics/amount_tests.h"
#include "profil/statistics/hypothesis.h"

namespace csink::report {
namespace {

/// Variance of the mean.
double MeanVariance(const std::vector<double>& values) {
  return Variance(values) / static_cast<double>(values.size());
}

}  // namespace

// E. C. Fieller, "Some problems in interval estimation", Journal of the Royal Statistical Society B
// 16, 1954, p. 175: all ratios r for which mean_b - r mean_a is no more than chance,
//
//   (mean_b - r mean_a)^2 <= t^2 (v_b + r^2 v_a)
//
// t is that of Welch's test of equal means, so that interval and p-value agree at r = 1.
std::optional<Interval> CpuRatioInterval(const std::vector<double>& b,
                                         const std::vector<double>& a) {
  if (std::min(a.size(), b.size()) < kLeastTestedRuns) return std::nullopt;
  const double mean_a = Mean(a);
  const double mean_b = Mean(b);
  if (!(mean_a > 0)) return std::nullopt;
  const double variance_a = MeanVariance(a);
  const double variance_b = MeanVariance(b);
  const double variance = variance_a + variance_b;
  if (!(variance > 0)) return Interval{mean_b / mean_a, mean_b / mean_a};
  const double half = WelchHalfWidth(b, a);
  const double t2 = half * half / variance;
  // The quadratic equation p r^2 - 2 q r + s = 0.
  const double p = mean_a * mean_a - t2 * variance_a;
  const double q = mean_a * mean_b;
  const double s = mean_b * mean_b - t2 * variance_b;
  // The earlier mean may be 0 within its error.
  if (!(p > 0)) return std::nullopt;
  const double root = std::sqrt(std::max(0.0, q * q - p * s));
  return Interval{std::max(0.0, (q - root) / p), (q + root) / p};
}

}  // namespace csink::report
