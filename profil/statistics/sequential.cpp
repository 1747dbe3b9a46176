#include "profil/statistics/sequential.h"

#include <cmath>

namespace csink {
namespace {

/// Looks at most.
constexpr std::size_t kParts = 8;
/// Points of Simpson's rule between the boundaries; odd.
constexpr std::size_t kPoints = 201;

double Density(double x, double deviation) {
  constexpr double kRootOfTwoPi = 2.5066282746310002;
  const double z = x / deviation;
  return std::exp(-z * z / 2) / (deviation * kRootOfTwoPi);
}

/// The probability of more than `x` in a normal distribution.
double Above(double x, double deviation) { return std::erfc(x / (deviation * std::sqrt(2.0))) / 2; }

/// A Brownian motion that has not yet crossed a boundary: the density of its places, by points
/// between -bound and bound.
class Motion {
 public:
  /// The probability that the next step, of variance `step`, ends outside of -bound to bound.
  double Crossing(double step, double bound) const {
    const double deviation = std::sqrt(step);
    if (points_.empty()) return 2 * Above(bound, deviation);  // From 0
    double sum = 0;
    for (const Point& point : points_) {
      sum += point.mass *
             (Above(bound - point.place, deviation) + Above(bound + point.place, deviation));
    }
    return sum;
  }

  /// Makes the step, and removes what is outside of the bound.
  void Step(double step, double bound) {
    const double deviation = std::sqrt(step);
    const double width = 2 * bound / (kPoints - 1);
    std::vector<Point> next(kPoints);
    for (std::size_t i = 0; i < kPoints; ++i) {
      const double place = -bound + width * static_cast<double>(i);
      double density = points_.empty() ? Density(place, deviation) : 0;
      for (const Point& point : points_) {
        density += point.mass * Density(place - point.place, deviation);
      }
      const bool is_end = i == 0 || i == kPoints - 1;
      const double weight = is_end ? 1 : i % 2 == 1 ? 4 : 2;
      next[i] = {place, density * weight * width / 3};
    }
    points_ = std::move(next);
  }

 private:
  struct Point {
    double place;
    double mass;  ///< Density times the weight of Simpson's rule
  };
  std::vector<Point> points_;  ///< Empty: at 0, before the first step
};

}  // namespace

std::vector<Look> PlanLooks(std::size_t most_rounds, double alpha) {
  std::vector<Look> looks;
  Motion motion;
  double spent = 0;
  double time = 0;
  for (std::size_t part = 1; part <= kParts; ++part) {
    const std::size_t rounds = (most_rounds * part + kParts - 1) / kParts;
    if (rounds < kLeastRounds || (!looks.empty() && looks.back().rounds == rounds)) continue;
    const double now = static_cast<double>(rounds) / static_cast<double>(most_rounds);
    const double allowed = alpha * now * now;
    // The smallest p-value of the signed-rank test. The last look is always kept.
    const double least = std::ldexp(1.0, 1 - static_cast<int>(rounds));
    if (rounds < most_rounds && least > allowed) continue;
    const double step = now - time;
    // The bound that spends exactly what is allowed. 60 halvings are below the precision of a
    // double; probabilities beyond 40 deviations are 0.
    double low = 0;
    double high = 40;
    for (int i = 0; i < 60; ++i) {
      const double middle = (low + high) / 2;
      (motion.Crossing(step, middle) > allowed - spent ? low : high) = middle;
    }
    motion.Step(step, high);
    spent = allowed;
    time = now;
    // At time t the motion has the variance t.
    looks.push_back({rounds, 2 * Above(high, std::sqrt(now))});
  }
  return looks;
}

}  // namespace csink
