#include "profil/statistics/chi_squared.h"

#include <algorithm>
#include <cmath>

namespace csink {
namespace {

constexpr int kMostTerms = 500;
constexpr double kEnough = 1e-15;
constexpr double kTiny = 1e-300;

/// P(a, x), the lower part, by its series. Converges fast for x < a + 1.
double LowerGamma(double a, double x) noexcept {
  double term = 1 / a;
  double sum = term;
  for (int n = 1; n <= kMostTerms && term > sum * kEnough; ++n) {
    term *= x / (a + n);
    sum += term;
  }
  return sum * std::exp(a * std::log(x) - x - std::lgamma(a));
}

/// Q(a, x), the upper part, by its continued fraction (Lentz's method). For x >= a + 1.
double UpperGamma(double a, double x) noexcept {
  double b = x + 1 - a;
  double c = 1 / kTiny;
  double d = 1 / b;
  double fraction = d;
  for (int n = 1; n <= kMostTerms; ++n) {
    const double factor = n * (a - n);
    b += 2;
    d = factor * d + b;
    d = 1 / (std::fabs(d) < kTiny ? kTiny : d);
    c = b + factor / c;
    if (std::fabs(c) < kTiny) c = kTiny;
    fraction *= d * c;
    if (std::fabs(d * c - 1) < kEnough) break;
  }
  return fraction * std::exp(a * std::log(x) - x - std::lgamma(a));
}

}  // namespace

double ChiSquaredTail(double value, double degrees) noexcept {
  if (!(degrees > 0) || !(value > 0)) return 1;
  if (std::isinf(value)) return 0;
  const double a = degrees / 2;
  const double x = value / 2;
  return std::clamp(x < a + 1 ? 1 - LowerGamma(a, x) : UpperGamma(a, x), 0.0, 1.0);
}

double ChiSquaredMedian(double degrees) noexcept {
  if (!(degrees > 0)) return 0;
  // The median is below the mean. 60 halvings are below the precision of a double.
  double low = 0;
  double high = degrees;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (ChiSquaredTail(middle, degrees) > 0.5 ? low : high) = middle;
  }
  return high;
}

}  // namespace csink
