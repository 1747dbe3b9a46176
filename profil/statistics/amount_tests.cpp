#include "profil/statistics/amount_tests.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "profil/statistics/chi_squared.h"
#include "profil/statistics/hypothesis.h"

/// File: (1) Model turns shares into counts and exposures. (2) Fit has a row's expected counts and
/// its dispersion. (3) Prior is the dispersion of all rows. (4) Judge tests a row. (5) Holm's
/// correction.

namespace csink {
namespace {

/// Level of the comparison.
constexpr double kLevel = 0.05;
/// The row's own runs must differ at half the level, so that rows which move together (a changed
/// clock frequency) do not mark each other. 0.025 and 0.01 were compared.
constexpr double kOwnLevel = 0.025;
/// The prior counts as much as this number of runs beyond the first of each group (edgeR's
/// default).
constexpr double kPriorDegrees = 10;
/// A dispersion that the prior explains with a smaller probability is the row's own.
constexpr double kGuardLevel = 0.05;
/// Rows with fewer samples a run tell little of the common dispersion.
constexpr double kLeastForPrior = 5;
constexpr std::size_t kLeastRowsForPrior = 3;
/// The sampling variance is never below this part of Poisson's: a row with all samples has none.
constexpr double kLeastVariance = 0.02;
/// Standard normal quantile of a power of 80 %.
constexpr double kPowerQuantile = 0.8416;

/// All runs, those of a first.
struct Model {
  std::size_t runs_a = 0;
  std::vector<double> samples;
  /// How many samples an amount gives in this run, relative to the mean of the runs.
  std::vector<double> exposure;
  double amount_of_sample = 0;  ///< Mean of the runs
  double exposure_a = 0;
  double exposure_b = 0;

  std::size_t runs() const { return samples.size(); }
  bool IsB(std::size_t run) const { return run >= runs_a; }
  double degrees() const { return static_cast<double>(runs()) - 2; }
  bool IsTested() const { return std::min(runs_a, runs() - runs_a) >= kLeastTestedRuns; }

  /// Variance of a count over its square, of the sampling alone: binomial.
  double SamplingVariance(double expected, std::size_t run) const {
    return std::max(1 / expected - 1 / samples[run], kLeastVariance / expected);
  }
};

Model ModelOf(std::span<const SampledRun> a, std::span<const SampledRun> b) {
  Model model;
  model.runs_a = a.size();
  double sum = 0;
  std::size_t known = 0;
  std::vector<double> amounts;
  for (const auto& group : {a, b}) {
    for (const SampledRun& run : group) {
      const bool is_known = run.samples > 0 && run.amount > 0;
      model.samples.push_back(std::max(run.samples, 1.0));
      amounts.push_back(is_known ? run.amount / run.samples : 0);
      sum += amounts.back();
      known += is_known;
    }
  }
  model.amount_of_sample = known > 0 ? sum / static_cast<double>(known) : 0;
  for (std::size_t i = 0; i < amounts.size(); ++i) {
    // A run without samples says that all amounts are 0, with the weight of a usual run.
    model.exposure.push_back(amounts[i] > 0 ? model.amount_of_sample / amounts[i] : 1);
    (model.IsB(i) ? model.exposure_b : model.exposure_a) += model.exposure.back();
  }
  return model;
}

/// A row's counts, and what is expected in each run.
struct Fit {
  std::vector<double> counts;
  double count_a = 0;
  double count_b = 0;
  std::vector<double> expected;        ///< If the groups differ
  std::vector<double> expected_equal;  ///< If they do not
  bool enough = false;
  double dispersion = 0;  ///< Estimated from the row alone

  double MeanExpected() const { return Mean(expected); }
};

Fit FitOf(const Model& model, const RowShares& shares) {
  // A row without samples in a group would divide by 0.
  constexpr double kLeast = 1e-9;
  Fit fit;
  double samples_a = 0;
  double samples_b = 0;
  for (std::size_t i = 0; i < model.runs(); ++i) {
    const double share = model.IsB(i) ? shares.b[i - model.runs_a] : shares.a[i];
    fit.counts.push_back(std::max(0.0, share) * model.samples[i]);
    (model.IsB(i) ? fit.count_b : fit.count_a) += fit.counts.back();
    (model.IsB(i) ? samples_b : samples_a) += model.samples[i];
  }
  const double count = fit.count_a + fit.count_b;
  // Written so that NaN is not enough.
  fit.enough = count / (samples_a + samples_b) * std::min(samples_a, samples_b) >= kLeastExpected;
  for (std::size_t i = 0; i < model.runs(); ++i) {
    const double own =
        model.IsB(i) ? fit.count_b / model.exposure_b : fit.count_a / model.exposure_a;
    const double both = count / (model.exposure_a + model.exposure_b);
    fit.expected.push_back(std::max(kLeast, own * model.exposure[i]));
    fit.expected_equal.push_back(std::max(kLeast, both * model.exposure[i]));
    const double off = (fit.counts[i] - fit.expected[i]) / fit.expected[i];
    fit.dispersion += off * off / model.SamplingVariance(fit.expected[i], i);
  }
  if (model.degrees() > 0) fit.dispersion /= model.degrees();
  return fit;
}

/// What all rows say of the dispersion.
struct Prior {
  double dispersion = 1;
  double rows = 1;
};

Prior PriorOf(const Model& model, const std::vector<Fit>& fits) {
  std::vector<double> all;
  std::vector<double> large;
  for (const Fit& fit : fits) {
    if (!fit.enough) continue;
    all.push_back(fit.dispersion);
    if (fit.MeanExpected() >= kLeastForPrior) large.push_back(fit.dispersion);
  }
  std::vector<double>& used = large.size() < kLeastRowsForPrior ? all : large;
  if (used.empty()) return {};
  std::sort(used.begin(), used.end());
  const std::size_t middle = used.size() / 2;
  const double median = used.size() % 2 != 0 ? used[middle] : (used[middle - 1] + used[middle]) / 2;
  // Of a chi-squared variable; never below the sampling error.
  const double degrees = model.degrees();
  return {std::max(1.0, median * degrees / ChiSquaredMedian(degrees)),
          static_cast<double>(used.size())};
}

/// The dispersion that a row is judged by, and how well it is known.
struct Moderated {
  double dispersion = 1;
  double sampling_part = 1;                                  ///< See AmountChange
  double degrees = std::numeric_limits<double>::infinity();  ///< Infinite: the sampling error alone
};

Moderated Moderate(const Model& model, const Fit& fit, const Prior& prior) {
  const double degrees = model.degrees();
  Moderated of = {
      (kPriorDegrees * prior.dispersion + degrees * fit.dispersion) / (kPriorDegrees + degrees),
      // What the row's few runs say beyond the prior may be chance.
      1 / prior.dispersion, std::min(kPriorDegrees + degrees, degrees * prior.rows)};
  // A function that waits for memory may differ far more than the others: it is judged by its own
  // runs.
  if (ChiSquaredTail(degrees * fit.dispersion / prior.dispersion, degrees) < kGuardLevel) {
    of.dispersion = std::max(of.dispersion, fit.dispersion);
    of.sampling_part = 1 / of.dispersion;
    of.degrees = degrees;
  }
  return of;
}

/// Quantiles by their degrees of freedom: rows have few different ones.
class Quantiles {
 public:
  explicit Quantiles(double outside) : outside_(outside) {}
  double Of(double degrees) {
    const auto [at, is_new] = known_.try_emplace(degrees);
    if (is_new) at->second = StudentQuantile(outside_, degrees);
    return at->second;
  }

 private:
  double outside_;
  std::map<double, double> known_;
};

/// The sum of the variances of a group's counts. `expected` is a member of Fit.
double VarianceOf(const Model& model, const std::vector<double>& expected, bool of_b,
                  double dispersion) {
  double variance = 0;
  for (std::size_t i = 0; i < model.runs(); ++i) {
    if (model.IsB(i) != of_b) continue;
    variance += expected[i] * expected[i] * model.SamplingVariance(expected[i], i) * dispersion;
  }
  return variance;
}

/// The interval of the ratio of the amounts; `z` is the quantile of 95 %.
Interval RatioOf(const Model& model, const Fit& fit, double dispersion, double z) {
  const auto equivalent = [&](double count, bool of_b) {
    return count > 0 ? count * count / VarianceOf(model, fit.expected, of_b, dispersion) : 0;
  };
  const double k_a = equivalent(fit.count_a, false);
  const double k_b = equivalent(fit.count_b, true);
  const Interval relative = RatioInterval(k_b, k_a, z);
  if (!(fit.count_a > 0)) return relative;
  const double exposures = model.exposure_a / model.exposure_b;
  // Without samples in b the unit is one equivalent sample of a.
  const double found = fit.count_b > 0 ? fit.count_b / fit.count_a : 1 / k_a;
  return {relative.low * found * exposures, relative.high * found * exposures};
}

/// Amounts of the row in the runs of a group, in units of Model::amount_of_sample.
std::vector<double> AmountsOf(const Model& model, const Fit& fit, bool of_b) {
  std::vector<double> amounts;
  for (std::size_t i = 0; i < model.runs(); ++i) {
    if (model.IsB(i) == of_b) amounts.push_back(fit.counts[i] / model.exposure[i]);
  }
  return amounts;
}

/// The difference of the groups in standard errors, and the relative standard error.
struct Score {
  double errors = 0;
  double relative_error = 0;
};

Score ScoreOf(const Model& model, const Fit& fit, double dispersion) {
  const double a = model.exposure_a;
  const double b = model.exposure_b;
  const double difference = (a * fit.count_b - b * fit.count_a) / (a + b);
  const double variance = (a * a * VarianceOf(model, fit.expected_equal, true, dispersion) +
                           b * b * VarianceOf(model, fit.expected_equal, false, dispersion)) /
                          ((a + b) * (a + b));
  if (!(variance > 0)) return {};
  const double mean = (fit.count_a + fit.count_b) / (a + b);
  return {difference / std::sqrt(variance), std::sqrt(variance) / (mean * a * b / (a + b))};
}

/// How far a true change has to be above the critical value of a t test so that 80 % of
/// repetitions find it: the normal approximation of the noncentral t distribution (N. L. Johnson,
/// B. L. Welch, Biometrika 31, 1940, p. 362). With few degrees this is more than the quantile of
/// the power, because the estimated error varies.
double NeededErrors(double critical, double degrees) {
  return critical * (1 - 1 / (4 * degrees)) +
         kPowerQuantile * std::sqrt(1 + critical * critical / (2 * degrees));
}

/// Degrees of freedom of the test over a row's own runs: those of Welch's test for equal variances.
/// Of two equally large groups it has about one less, because the estimated variances differ.
double OwnDegrees(double runs_a, double runs_b) {
  const double a = 1 / runs_a;
  const double b = 1 / runs_b;
  const double degrees = (a + b) * (a + b) / (a * a / (runs_a - 1) + b * b / (runs_b - 1));
  return degrees - std::min(runs_a, runs_b) / std::max(runs_a, runs_b);
}

/// The result of a row without tests.
AmountChange Estimate(const Model& model, const Fit& fit, const Moderated& by, double z) {
  AmountChange row;
  row.enough = fit.enough;
  row.amount_a = fit.count_a / model.exposure_a * model.amount_of_sample;
  row.amount_b = fit.count_b / model.exposure_b * model.amount_of_sample;
  row.ratio = RatioOf(model, fit, by.dispersion, z);
  const Score score = ScoreOf(model, fit, by.dispersion);
  row.error = score.relative_error;
  row.sampling_part = by.sampling_part;
  row.p_value = std::isinf(by.degrees) ? std::erfc(std::fabs(score.errors) / std::sqrt(2))
                                       : StudentPValue(score.errors, by.degrees);
  return row;
}

}  // namespace

std::vector<AmountChange> CompareAmounts(std::span<const SampledRun> a,
                                         std::span<const SampledRun> b,
                                         const std::vector<RowShares>& rows) {
  std::vector<AmountChange> changes;
  if (a.empty() || b.empty()) return std::vector<AmountChange>(rows.size());
  const Model model = ModelOf(a, b);
  std::vector<Fit> fits;
  fits.reserve(rows.size());
  for (const RowShares& row : rows) fits.push_back(FitOf(model, row));
  if (!model.IsTested()) {
    for (const Fit& fit : fits) changes.push_back(Estimate(model, fit, {}, kZ95));
    return changes;
  }
  const Prior prior = PriorOf(model, fits);
  const auto tests = static_cast<double>(
      std::count_if(fits.begin(), fits.end(), [](const Fit& fit) { return fit.enough; }));
  Quantiles interval(kLevel);
  Quantiles critical(kLevel / std::max(1.0, tests));
  const double own_degrees =
      OwnDegrees(static_cast<double>(a.size()), static_cast<double>(b.size()));
  const double own_needed = NeededErrors(StudentQuantile(kOwnLevel, own_degrees), own_degrees);
  std::vector<double> p_values;
  for (const Fit& fit : fits) {
    const Moderated by = Moderate(model, fit, prior);
    AmountChange& row = changes.emplace_back(Estimate(model, fit, by, interval.Of(by.degrees)));
    // Above 1: not tested (HolmAdjusted).
    p_values.push_back(fit.enough ? row.p_value : 2);
    if (!fit.enough) continue;
    row.needed_errors = std::max(NeededErrors(critical.Of(by.degrees), by.degrees), own_needed);
    row.adjusted_p_value =
        std::min(1.0, BetweenRunsPValue(AmountsOf(model, fit, false), AmountsOf(model, fit, true)) *
                          kLevel / kOwnLevel);
  }
  const std::vector<double> adjusted = HolmAdjusted(p_values);
  for (std::size_t i = 0; i < changes.size(); ++i) {
    if (changes[i].enough) {
      changes[i].adjusted_p_value = std::max(changes[i].adjusted_p_value, adjusted[i]);
    }
  }
  return changes;
}

double FindableChange(const AmountChange& row, double more_samples) {
  const double part = row.sampling_part / more_samples + (1 - row.sampling_part);
  return std::expm1(row.needed_errors * row.error * std::sqrt(std::max(0.0, part)));
}

double RunsToFind(const AmountChange& row, double change) {
  const double errors = row.needed_errors * row.error / std::log1p(change);
  return errors * errors;
}

}  // namespace csink
