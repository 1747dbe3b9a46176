#pragma once

#include <cstddef>
#include <span>
#include <vector>

/// File: tests whether two groups of runs differ by more than chance. (statistics.h has the test of
/// two shares, each from one run.)

namespace csink {

/// Two-sided tail of Student's t distribution: I_x(df/2, 1/2) with x = df / (df + t^2), the
/// regularised incomplete beta function by its continued fraction (NIST Digital Library of
/// Mathematical Functions, 8.17.22, evaluated by Lentz's method). 1 if `t` or `degrees` is not
/// valid.
double StudentPValue(double t, double degrees) noexcept;

/// The value that |t| exceeds with the probability `outside`. Half the width of a 95 % interval in
/// standard errors is that of 0.05: 12.7 for one degree of freedom, 1.96 for many. A one-sided
/// bound of 95 % has that of 0.1. Infinite if `degrees` or `outside` is not above 0.
double StudentQuantile(double outside, double degrees) noexcept;

/// Welch's test of two means of independent values with unequal variances (B. L. Welch, "The
/// generalization of Student's problem when several different population variances are involved",
/// Biometrika 34, 1947, p. 28; degrees of freedom after F. E. Satterthwaite, Biometrics Bulletin 2,
/// 1946, p. 110):
///
///   t = (mean_a - mean_b) / sqrt(v_a + v_b),  v = variance / runs
///   degrees = (v_a + v_b)^2 / (v_a^2 / (runs_a - 1) + v_b^2 / (runs_b - 1))
///
/// If one group has a single run, the variance of the other group is used for both (this is
/// Student's test). 1 if no group has two values. If both variances are 0: 0 if the means differ,
/// else 1.
double WelchPValue(std::span<const double> a, std::span<const double> b) noexcept;

/// Student's test: both groups have the same variance, estimated from all values together (runs_a +
/// runs_b - 2 degrees of freedom). 1 if no group has two values.
double PooledPValue(std::span<const double> a, std::span<const double> b) noexcept;

/// The larger one of both p-values. Few runs may agree by chance: if the other group has many runs
/// that differ, Welch's test trusts the small variance of the few, and the pooled variance is
/// hardly affected by it. With groups of equal size Welch's p-value is always the larger one.
double BetweenRunsPValue(std::span<const double> a, std::span<const double> b) noexcept;

/// Half the width of the 95 % interval of the difference of means, consistent with WelchPValue.
/// Infinite if no group has two values.
double WelchHalfWidth(std::span<const double> a, std::span<const double> b) noexcept;

/// Arithmetic mean; 0 if `values` is empty.
double Mean(std::span<const double> values) noexcept;
/// The mean of the two middle values where there is an even number. 0 without values.
double Median(std::vector<double> values);
/// Sample variance (divisor n - 1); 0 for fewer than two values.
double Variance(std::span<const double> values) noexcept;

/// Half the width of the 95 % interval of the mean of independent, normally distributed values
/// (Student, "The probable error of a mean", Biometrika 6, 1908, p. 1): quantile * sqrt(variance /
/// n) with n - 1 degrees of freedom. Infinite for fewer than two values.
double MeanHalfWidth(std::span<const double> values) noexcept;

/// Adjusts the p-values of several tests so that each can be compared with one level for all tests
/// together (S. Holm, "A simple sequentially rejective multiple test procedure", Scandinavian
/// Journal of Statistics 6, 1979, p. 65): of m values in rising order, the i-th (from 0) becomes
/// the largest of (m - j) p_j, j <= i, at most 1. Values above 1 mark tests that were not made;
/// they are unchanged and not counted in m.
std::vector<double> HolmAdjusted(const std::vector<double>& p_values);

}  // namespace csink
