#include "profil/statistics/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>

/// File: the formulas of statistics.h, whose comments name the sources. Without samples an interval
/// is the widest one, and a p-value is 1.

namespace csink {

Interval WilsonInterval(double share, double samples, double z) noexcept {
  if (!(samples > 0) || !std::isfinite(share)) return {};
  const double p = std::clamp(share, 0.0, 1.0);
  // Wilson's interval is that of all shares whose own test would not reject the found one. Unlike
  // the normal approximation it stays inside [0, 1], and holds for shares near 0.
  const double z2_over_n = z * z / samples;
  const double middle = p + z2_over_n / 2;
  const double half = z * std::sqrt(p * (1 - p) / samples + z2_over_n / (4 * samples));
  const double scale = 1 + z2_over_n;
  return {std::max(0.0, (middle - half) / scale), std::min(1.0, (middle + half) / scale)};
}

Interval WithMissing(const Interval& sampled, double missing) noexcept {
  missing = std::clamp(missing, 0.0, 1.0);
  // The extremes: none of the missing part is the row's, or all of it.
  return {sampled.low * (1 - missing), sampled.high * (1 - missing) + missing};
}

Interval DifferenceInterval(double share, double samples, double other, double other_samples,
                            double z) noexcept {
  if (!(samples > 0) || !(other_samples > 0)) return {-1, 1};
  const Interval a = WilsonInterval(share, samples, z);
  const Interval b = WilsonInterval(other, other_samples, z);
  const double p = std::clamp(share, 0.0, 1.0);
  const double q = std::clamp(other, 0.0, 1.0);
  // Newcombe's method: each bound combines the distances of the two single intervals that make the
  // difference smaller or larger.
  return {p - q - std::hypot(p - a.low, b.high - q), p - q + std::hypot(a.high - p, q - b.low)};
}

double TwoProportionPValue(double share, double samples, double other,
                           double other_samples) noexcept {
  if (!(samples > 0) || !(other_samples > 0)) return 1;
  // If both sides have the same true share, the pooled one is its best estimate.
  const double pooled = (share * samples + other * other_samples) / (samples + other_samples);
  const double variance = pooled * (1 - pooled) * (1 / samples + 1 / other_samples);
  if (!(variance > 0)) return 1;
  // P(|Z| > z) = erfc(z / sqrt(2)); the factor 2 under the root is that of erfc.
  return std::erfc(std::fabs(share - other) / std::sqrt(2 * variance));
}

double EquivalentCount(double share, double samples) noexcept {
  if (!(samples > 0) || !(share > 0)) return 0;
  const double p = std::min(share, 1.0);
  const double count = p * samples;
  return count / std::max(1 - p, std::min(1.0, 1 / count));
}

Interval RatioInterval(double above, double below, double z) noexcept {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (!(below > 0) || !(above >= 0)) return {0, kInfinity};
  // Given n counts, the number above is binomial with the share ratio / (1 + ratio), so the share's
  // interval gives that of the ratio.
  const double n = above + below;
  const Interval share = WilsonInterval(above / n, n, z);
  const auto odds = [](double p) { return p < 1 ? p / (1 - p) : kInfinity; };
  // Without a count above there is no ratio to relate to; one count is the unit then.
  const double found = above > 0 ? above / below : 1 / below;
  return {above > 0 ? odds(share.low) / found : 0, odds(share.high) / found};
}

double EffectiveSamples(double weight, double weight_squared, std::uint64_t samples) noexcept {
  const double count = static_cast<double>(samples);
  if (!(weight > 0) || !(weight_squared > 0)) return weight > 0 ? count : 0;
  // In this order, because weight * weight may exceed the largest double.
  const double effective = weight / weight_squared * weight;
  return std::isfinite(effective) ? std::min(effective, count) : count;
}

}  // namespace csink
