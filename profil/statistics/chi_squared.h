#pragma once

/// File: the chi-squared distribution, that of a sum of squares of independent normal errors.

namespace csink {

/// The probability that a chi-squared variable with `degrees` degrees of freedom exceeds `value`:
/// the regularised incomplete gamma function Q(degrees / 2, value / 2) (NIST Digital Library of
/// Mathematical Functions, 8.11.4 below the mean and 8.9.2 above). 1 if `value` is not above 0 or
/// `degrees` is not valid.
double ChiSquaredTail(double value, double degrees) noexcept;

/// The value that is exceeded with a probability of one half. 0 if `degrees` is not valid.
double ChiSquaredMedian(double degrees) noexcept;

}  // namespace csink
