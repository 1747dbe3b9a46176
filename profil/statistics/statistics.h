#pragma once

#include <cstdint>

/// File: the error bounds of a share.
///
/// A profile is a sample: of n hits, k are in a function. The interval for the true share is
/// Wilson's score interval (E. B. Wilson, "Probable inference, the law of succession, and
/// statistical inference", JASA 22, 1927, p. 209):
///
///            p + z^2/2n  +-  z sqrt( p(1-p)/n + z^2/4n^2 )
///   bounds = ---------------------------------------------      p = k/n
///                         1 + z^2/n
///
/// It stays inside [0, 1] and is correct for shares near 0 and 1 and for few samples; the usual p
/// +- z sqrt(p(1-p)/n) is not.
///
/// Samples of unequal weight (frequency mode, timer overruns) count as the number of equal samples
/// with the same variance (L. Kish, "Survey Sampling", 1965, 11.7):
///
///   n_eff = (sum w)^2 / sum w^2
///
/// Sampling with a fixed period is systematic, not random. Unless the program's behaviour is
/// periodic with the (prime) sampling period, the error is not larger than this one.

namespace csink {

/// Bounds of a share, or of a difference or ratio. The default says that nothing is known of a
/// share.
struct Interval {
  double low = 0;
  double high = 1;
  double HalfWidth() const noexcept { return (high - low) / 2; }
};

/// 95 % two-sided: reports. Quantile of the normal distribution
inline constexpr double kZ95 = 1.959963984540054;
inline constexpr double kZ9999 = 3.890591886413120;  ///< 99.99 % two-sided: our tests

/// The interval of a share in [0, 1] that was estimated from `samples` (effective) samples. Without
/// samples: [0, 1]. A share out of range is clamped.
Interval WilsonInterval(double share, double samples, double z = kZ95) noexcept;

/// The interval of a share if a part `missing` (0..1) of all occurrences was not counted. `sampled`
/// is the interval for the counted occurrences. The bounds are those for the cases that none, or
/// all, of the missing part belongs to the row.
Interval WithMissing(const Interval& sampled, double missing) noexcept;

/// Interval of share - other, of two independent samples: R. G. Newcombe, "Interval estimation for
/// the difference between independent proportions: comparison of eleven methods", Statistics in
/// Medicine 17 (1998), p. 873, method 10: Wilson's bounds l, u of both, and
///
///   low  = p - q - sqrt((p - l_p)^2 + (u_q - q)^2)
///   high = p - q + sqrt((u_p - p)^2 + (q - l_q)^2)
///
/// It stays inside [-1, 1] and is right where a share is 0. Without samples: [-1, 1].
Interval DifferenceInterval(double share, double samples, double other, double other_samples,
                            double z = kZ95) noexcept;

/// The probability that two samples of the same population differ by this much or more: the
/// two-sided two-proportion z test with the pooled share (J. L. Fleiss, B. Levin, M. C. Paik,
/// "Statistical Methods for Rates and Proportions", 3rd edition, 2003, section 3.1, without
/// continuity correction): z = (p - q) / sqrt(r (1 - r) (1/n + 1/m)), r = (n p + m q) / (n + m). 1
/// if a side has no samples.
double TwoProportionPValue(double share, double samples, double other,
                           double other_samples) noexcept;

/// The number of events of a Poisson process with the same relative error as a `share` found with
/// `samples` (effective) samples: a binomial count k = share * samples has the variance k (1 -
/// share), so that its square over the variance is k / (1 - share). If all samples are in one row,
/// only the rounding to whole samples remains; so the result is at most k^2.
double EquivalentCount(double share, double samples) noexcept;

/// Interval of the ratio of two independent counts, relative to the ratio found: the true one lies
/// between low and high times above / below. The counts are those of EquivalentCount. Given their
/// sum, the upper one is binomial with odds that are the ratio of the rates (J. Przyborowski, H.
/// Wilenski, "Homogeneity of results in testing samples from Poisson series", Biometrika 31, 1940,
/// p. 313); Wilson's bounds l, u of that share p give
///
///   low = l / (1 - l) / (p / (1 - p))        high = u / (1 - u) / (p / (1 - p))
///
/// Without a count above, `low` is 0 and both are in units of 1 / `below`. Without one below:
/// [0, infinity]. Its coverage is checked by tests/profil/statistics/statistics_test.cpp.
Interval RatioInterval(double above, double below, double z = kZ95) noexcept;

/// Kish's effective number of samples. 0 if the weight is 0. Never more than `samples`, which
/// rounding or a half-updated live spool could otherwise give.
double EffectiveSamples(double weight, double weight_squared, std::uint64_t samples) noexcept;

}  // namespace csink
