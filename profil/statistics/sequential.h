#pragma once

#include <cstddef>
#include <vector>

/// File: the plan of a measurement that may stop early.
///
/// Who tests after each round and stops at the first difference finds one sooner or later, also
/// between equal programs. So the numbers of rounds at which the data are looked at are planned
/// before, and each look may spend only a part of the error rate (K. K. G. Lan, D. L. DeMets,
/// "Discrete sequential boundaries for clinical trials", Biometrika 70, 1983, p. 659). After the
/// part t of all rounds
///
///   spent(t) = alpha t^2
///
/// (K. Kim, D. L. DeMets, Biometrika 74, 1987, p. 149, alpha_3 with the power 2): between O'Brien's
/// and Fleming's boundary, which stops early only for very large differences, and Pocock's, which
/// loses more power at the end. The boundaries are those of a Brownian motion, by numerical
/// integration (P. Armitage, C. K. McPherson, B. C. Rowe, "Repeated significance tests on
/// accumulating data", JRSS A 132, 1969, p. 235). They are used as levels of another test at each
/// look (C. Jennison, B. W. Turnbull, "Group Sequential Methods with Applications to Clinical
/// Trials", 2000, section 3.8).
///
/// The intervals for these levels contain the true value at all looks together with a probability
/// of 1 - alpha (repeated confidence intervals: C. Jennison, B. W. Turnbull, "Interim analyses: the
/// repeated confidence interval approach", JRSS B 51, 1989, p. 305). So the measurement may stop at
/// any look and for any reason, a wanted precision for example, and its interval is right.

namespace csink {

/// The error rate of a whole measurement. Below 5 %, because levels of a Brownian motion are only
/// approximately right for ranks: in simulations the rate is up to 0.5 % above the planned one.
inline constexpr double kSequentialAlpha = 0.04;

/// One planned look at the data.
struct Look {
  /// The number of rounds of which the data are looked at.
  std::size_t rounds = 0;
  /// The two-sided level of the test there.
  double level = 0;
};

/// The fewest rounds with which the signed-rank test can find anything at 5 %.
inline constexpr std::size_t kLeastRounds = 6;

/// The looks of a measurement of at most `most_rounds` rounds, at eighths of them, in rising order;
/// the last is at `most_rounds`. Looks at which the signed-rank test cannot reach its level are
/// left out, because they would only spend a part of `alpha`. Empty if `most_rounds` is less than
/// kLeastRounds. Deterministic. Takes 2 ms.
/// Signals: not safe (heap).
std::vector<Look> PlanLooks(std::size_t most_rounds, double alpha = kSequentialAlpha);

}  // namespace csink
