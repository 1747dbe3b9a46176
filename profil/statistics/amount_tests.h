#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "profil/statistics/statistics.h"

/// File: whether the amount of a row (the CPU time of a function) differs between two groups of
/// runs that were sampled, and how large a change these runs would show.
///
/// A run's samples of a row are a count whose variance has two parts: the sampling error, which is
/// known, and what differs from run to run, which few runs cannot tell well. The method is the
/// moderated quasi-Poisson test (after S. P. Lund, D. Nettleton, D. J. McCarthy, G. K. Smyth,
/// "Detecting differential expression in RNA-sequence data using quasi-likelihood with shrunken
/// dispersion estimates", Statistical Applications in Genetics and Molecular Biology 11, 2012): the
/// dispersion of a row, its variance over the sampling variance, is estimated from the row and from
/// the median of all rows together. docs/design/report.md has the measured rates of errors and
/// compares other tests.

namespace csink {

/// One run of a group.
struct SampledRun {
  double samples = 0;  ///< Effective samples of all rows together
  double amount = 0;   ///< What they stand for: seconds, or events
};

/// The shares that a row has of the samples of each run; 0: the run does not have the row.
struct RowShares {
  std::vector<double> a;
  std::vector<double> b;
};

/// A row in both groups.
struct AmountChange {
  /// The pooled share predicts at least kLeastExpected samples in each group.
  bool enough = false;
  double amount_a = 0;  ///< Of a run, on average
  double amount_b = 0;
  /// 95 % interval of amount_b / amount_a. From 0 where b has no samples; to infinity where a has
  /// none.
  Interval ratio = {0, 0};
  /// Of this test alone. Without tests (CompareAmounts) of the sampling error.
  double p_value = 1;
  /// To be compared with 5 %: corrected for the number of tests, and never below twice the p-value
  /// of the test over the row's own runs.
  double adjusted_p_value = 1;
  /// The standard error of the relative change, if there is none.
  double error = 0;
  /// The part of the error's square that more samples a run reduce; the rest is between runs.
  double sampling_part = 1;
  /// How many standard errors a change has to have so that it is marked in 80 % of repetitions.
  double needed_errors = 0;
};

/// The normal approximation of a row's counts needs about this number in each group.
inline constexpr double kLeastExpected = 20;
/// Tests need this number of runs in each group: two that agree by chance would be trusted.
inline constexpr std::size_t kLeastTestedRuns = 3;

/// Compares all rows. If a group has fewer than kLeastTestedRuns runs, nothing is tested: intervals
/// and p-values are those of the sampling error, adjusted p-values 1, and no change is findable.
/// `a` and `b` of each row have one share for each run.
std::vector<AmountChange> CompareAmounts(std::span<const SampledRun> a,
                                         std::span<const SampledRun> b,
                                         const std::vector<RowShares>& rows);

/// The relative increase that is marked in 80 % of repetitions with as many runs, of which each has
/// `more_samples` times as many samples. 0: nothing was tested, or the row has too few samples.
double FindableChange(const AmountChange& row, double more_samples = 1);

/// How many runs a side, in multiples of the present number, would find this relative increase.
double RunsToFind(const AmountChange& row, double change);

}  // namespace csink
