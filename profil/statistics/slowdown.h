#pragma once

#include <optional>
#include <span>

/// File: how much slower a group of runs is at least.

namespace csink {

/// A ratio of CPU times, and the ratio that it is at least.
struct Slowdown {
  double ratio = 1;  ///< Of the geometric means, b / a
  double low = 0;    ///< One-sided 95 % bound
};

/// The standard deviation that logarithms of the CPU time of equal runs are assumed to have where
/// few runs tell (558 runs of a C++ program, sqlite3 and python3 on a loaded machine: 4.7 to 7.5
/// %). It counts as much as kScatterDegrees runs beyond the first of each group.
inline constexpr double kAssumedScatter = 0.06;
inline constexpr double kScatterDegrees = 3;

/// The bound is that of Student's test of the logarithms, whose variance is moderated by the
/// assumed one, so that it exists for one run a side and is one rule for any number. nullopt: a
/// group is empty, or a time is not above 0.
std::optional<Slowdown> SlowdownOf(std::span<const double> a, std::span<const double> b);

/// The ratio that `runs` runs a side have to show so that more than `limit` (1.05: 5 % slower) is
/// proven, if they differ as assumed.
double ProvenFrom(double limit, double runs) noexcept;

}  // namespace csink
