#include "profil/statistics/hypothesis.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

/// File: tests of two groups of runs. StudentPValue is the base: Welch's and the pooled test
/// compute a standard error and degrees of freedom for it.

namespace csink {
namespace {

// Lentz's method: number of terms, the replacement for 0 in denominators, and the relative change
// at which the fraction counts as converged.
constexpr int kMostTerms = 300;
constexpr double kTiny = 1e-300;
constexpr double kEnough = 1e-15;

/// The continued fraction of DLMF 8.17.22. Multiplied by x^a (1-x)^b / (a B(a, b)) it is I_x(a, b).
double BetaFraction(double a, double b, double x) noexcept {
  const auto away_from_0 = [](double value) { return std::fabs(value) < kTiny ? kTiny : value; };
  double c = 1;
  double d = 1 / away_from_0(1 - (a + b) * x / (a + 1));
  double fraction = d;
  for (int m = 1; m <= kMostTerms; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / away_from_0(1 + even * d);
    c = away_from_0(1 + even / c);
    fraction *= d * c;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / away_from_0(1 + odd * d);
    c = away_from_0(1 + odd / c);
    fraction *= d * c;
    if (std::fabs(d * c - 1) < kEnough) break;
  }
  return fraction;
}

double IncompleteBeta(double a, double b, double x) noexcept {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  // The factor before the continued fraction, by logarithms because the gamma function overflows
  // early.
  const double front = std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) +
                                a * std::log(x) + b * std::log1p(-x));
  // The fraction converges fast only on one side of the mean; the other side is computed by
  // symmetry.
  if (x < (a + 1) / (a + b + 2)) return front * BetaFraction(a, b, x) / a;
  return 1 - front * BetaFraction(b, a, 1 - x) / b;
}

/// The standard error of a difference of means, with its degrees of freedom; 0 degrees: unknown.
struct MeansError {
  double error = 0;
  double degrees = 0;
};

// The two-sided probability of a difference of means with that error. 1 if the error is unknown.
// Without any scatter, a difference is certain.
double PValueOf(double difference, const MeansError& of) noexcept {
  if (!(of.degrees > 0)) return 1;
  if (!(of.error > 0)) return difference == 0 ? 1 : 0;
  return StudentPValue(difference / of.error, of.degrees);
}

// The error if both groups have the same variance.
MeansError PooledOf(std::span<const double> a, std::span<const double> b) noexcept {
  if (a.empty() || b.empty() || a.size() + b.size() < 3) return {};
  const auto n_a = static_cast<double>(a.size());
  const auto n_b = static_cast<double>(b.size());
  const double degrees = n_a + n_b - 2;
  const double variance = ((n_a - 1) * Variance(a) + (n_b - 1) * Variance(b)) / degrees;
  return {std::sqrt(variance * (1 / n_a + 1 / n_b)), degrees};
}

// The error if the variances may differ; with a single run in one group, those of the other group.
MeansError WelchOf(std::span<const double> a, std::span<const double> b) noexcept {
  if (a.empty() || b.empty() || a.size() + b.size() < 3) return {};
  const double variance_a = a.size() > 1 ? Variance(a) : Variance(b);
  const double variance_b = b.size() > 1 ? Variance(b) : Variance(a);
  const double v_a = variance_a / static_cast<double>(a.size());
  const double v_b = variance_b / static_cast<double>(b.size());
  double degrees = static_cast<double>(a.size() + b.size() - 2);
  if (a.size() > 1 && b.size() > 1 && v_a + v_b > 0) {
    degrees = (v_a + v_b) * (v_a + v_b) /
              (v_a * v_a / static_cast<double>(a.size() - 1) +
               v_b * v_b / static_cast<double>(b.size() - 1));
  }
  return {std::sqrt(v_a + v_b), degrees};
}

}  // namespace

double StudentPValue(double t, double degrees) noexcept {
  if (!(degrees > 0) || std::isnan(t)) return 1;
  if (std::isinf(t)) return 0;
  return std::clamp(IncompleteBeta(degrees / 2, 0.5, degrees / (degrees + t * t)), 0.0, 1.0);
}

double Median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return (values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2;
}

double Mean(std::span<const double> values) noexcept {
  if (values.empty()) return 0;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double Variance(std::span<const double> values) noexcept {
  if (values.size() < 2) return 0;
  const double mean = Mean(values);
  double sum = 0;
  for (const double value : values) sum += (value - mean) * (value - mean);
  return sum / static_cast<double>(values.size() - 1);
}

double WelchPValue(std::span<const double> a, std::span<const double> b) noexcept {
  return PValueOf(Mean(a) - Mean(b), WelchOf(a, b));
}

double PooledPValue(std::span<const double> a, std::span<const double> b) noexcept {
  return PValueOf(Mean(a) - Mean(b), PooledOf(a, b));
}

double BetweenRunsPValue(std::span<const double> a, std::span<const double> b) noexcept {
  return std::max(WelchPValue(a, b), PooledPValue(a, b));
}

double StudentQuantile(double outside, double degrees) noexcept {
  if (!(degrees > 0) || !(outside > 0)) return std::numeric_limits<double>::infinity();
  double low = 0;
  double high = 16;
  while (high < 1e12 && StudentPValue(high, degrees) > outside) high *= 2;
  // Bisection, because the quantile of Student's distribution has no closed form.
  // 70 halvings are below the precision of a double.
  for (int i = 0; i < 70; ++i) {
    const double middle = (low + high) / 2;
    (StudentPValue(middle, degrees) > outside ? low : high) = middle;
  }
  return high;
}

double WelchHalfWidth(std::span<const double> a, std::span<const double> b) noexcept {
  const MeansError welch = WelchOf(a, b);
  if (!(welch.degrees > 0)) return std::numeric_limits<double>::infinity();
  return StudentQuantile(0.05, welch.degrees) * welch.error;
}

double MeanHalfWidth(std::span<const double> values) noexcept {
  if (values.size() < 2) return std::numeric_limits<double>::infinity();
  const auto n = static_cast<double>(values.size());
  return StudentQuantile(0.05, n - 1) * std::sqrt(Variance(values) / n);
}

std::vector<double> HolmAdjusted(const std::vector<double>& p_values) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < p_values.size(); ++i) {
    if (p_values[i] <= 1) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t i, std::size_t j) { return p_values[i] < p_values[j]; });
  std::vector<double> adjusted = p_values;
  double largest = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    // The running maximum keeps the adjusted values in the order of the raw ones.
    largest = std::max(largest, static_cast<double>(order.size() - i) * p_values[order[i]]);
    adjusted[order[i]] = std::min(1.0, largest);
  }
  return adjusted;
}

}  // namespace csink
