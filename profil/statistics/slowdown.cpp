#include "profil/statistics/slowdown.h"

#include <cmath>
#include <vector>

#include "profil/statistics/hypothesis.h"

namespace csink {
namespace {

/// How far the bound is below the difference of the logarithms. `squares`: sum of the squares of
/// the deviations from each group's mean.
double Margin(double squares, double runs_a, double runs_b) noexcept {
  const double degrees = runs_a + runs_b - 2 + kScatterDegrees;
  const double variance = (squares + kScatterDegrees * kAssumedScatter * kAssumedScatter) / degrees;
  // 5 % on one side.
  return StudentQuantile(0.1, degrees) * std::sqrt(variance * (1 / runs_a + 1 / runs_b));
}

}  // namespace

std::optional<Slowdown> SlowdownOf(std::span<const double> a, std::span<const double> b) {
  if (a.empty() || b.empty()) return std::nullopt;
  double means[2] = {};
  double squares = 0;
  std::size_t group = 0;
  for (const auto& times : {a, b}) {
    std::vector<double> logs;
    for (const double time : times) {
      if (!(time > 0) || !std::isfinite(time)) return std::nullopt;
      logs.push_back(std::log(time));
    }
    means[group++] = Mean(logs);
    squares += Variance(logs) * static_cast<double>(logs.size() - 1);
  }
  const double change = means[1] - means[0];
  const double margin =
      Margin(squares, static_cast<double>(a.size()), static_cast<double>(b.size()));
  return Slowdown{std::exp(change), std::exp(change - margin)};
}

double ProvenFrom(double limit, double runs) noexcept {
  const double squares = kAssumedScatter * kAssumedScatter * (2 * runs - 2);
  return limit * std::exp(Margin(squares, runs, runs));
}

}  // namespace csink
