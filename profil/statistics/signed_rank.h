#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "profil/statistics/statistics.h"

/// File: the interval of Wilcoxon's signed-rank test (F. Wilcoxon, "Individual comparisons by
/// ranking methods", Biometrics Bulletin 1, 1945, p. 80), for differences of pairs.
///
/// If two commands are the same, and chance decides which of them runs first, each difference of a
/// round is as likely to be positive as negative, whatever the noise looks like. The test needs no
/// more, so its error rate holds for bursts, trends and outliers. For normal noise it needs 5 %
/// more rounds than Student's test.
///
/// Threads: any (no state). Signals: not safe (heap).

namespace csink {

/// The largest c with 2 P(T <= c) <= `level`, where T is the sum of the positive ranks of `n`
/// differences without ties, from its exact distribution. nullopt if even c = 0 exceeds the level:
/// the smallest possible p-value is 2^(1-n). Takes n^3 / 2 additions: 30 ms for 500.
std::optional<std::size_t> SignedRankCritical(std::size_t n, double level);

/// An estimate with its interval.
struct Centre {
  double estimate = 0;
  Interval interval;
};

/// The centre of the distribution of `differences`: the median of the means of all pairs, each
/// value with itself included (J. L. Hodges, E. L. Lehmann, "Estimates of location based on rank
/// tests", Annals of Mathematical Statistics 34, 1963, p. 598). The interval has the coverage 1 -
/// `level` or more: it contains each centre that the two-sided test does not reject, and is
/// infinite where there are too few differences for the level. The differences must be finite;
/// estimate 0 without any.
Centre SignedRankCentre(std::span<const double> differences, double level);

}  // namespace csink
