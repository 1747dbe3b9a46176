#include "compat/atime/energy/energy_curve.h"

#include <algorithm>
#include <cmath>

/// File: the energy between two times that lie anywhere between samples. The value is interpolated.
/// The bounds are those of the samples around, without an assumption about the power between them.

namespace csink::atime {

BoundedEnergy EnergyCurve::Between(std::int64_t begin_ns, std::int64_t end_ns) const noexcept {
  if (points_.empty()) return {};
  // The samples before and after a time; the same one outside of all samples.
  const auto around = [this](std::int64_t ns) {
    const auto after = std::lower_bound(
        points_.begin(), points_.end(), ns,
        [](const Point& point, std::int64_t time) { return point.time_ns < time; });
    if (after == points_.end()) return std::pair(points_.back(), points_.back());
    // At a sample no energy is between two samples, so the two are one.
    if (after == points_.begin() || after->time_ns == ns) return std::pair(*after, *after);
    return std::pair(*(after - 1), *after);
  };
  // The energy up to a time, on the line between the two samples around it.
  const auto at = [](const std::pair<Point, Point>& pair, std::int64_t ns) {
    const auto& [before, after] = pair;
    if (before.time_ns == after.time_ns) return before.joules;
    const double part = static_cast<double>(ns - before.time_ns) /
                        static_cast<double>(after.time_ns - before.time_ns);
    return before.joules + part * (after.joules - before.joules);
  };
  const auto begin = around(begin_ns), end = around(end_ns);
  const double joules = at(end, end_ns) - at(begin, begin_ns);
  // Only the growth of the error within this time, and one error of readings for both ends.
  const double error = end.second.error - begin.first.error + reading_error_;
  // No energy is negative, except of devices that feed back; then the value itself is the limit.
  const double least = end.first.joules - begin.second.joules - error;
  // What is lacking infinitely often is lacking infinitely.
  const double lacks =
      std::isinf(end.second.lacks) ? end.second.lacks : end.second.lacks - begin.first.lacks;
  const double most = end.second.joules - begin.first.joules + error + lacks;
  return {joules, std::min(joules, std::max(least, 0.0)), std::max(joules, most)};
}

}  // namespace csink::atime
