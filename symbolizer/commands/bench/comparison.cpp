#include "symbolizer/commands/bench/comparison.h"

#include <algorithm>
#include <cmath>

#include "profil/statistics/hypothesis.h"
#include "profil/statistics/signed_rank.h"

/// File: rounds to ratios. Everything is computed with logarithms of A / B: the ratio of B / A then
/// has the reciprocal interval, and noise that is a percentage of the time is the same for short
/// and long runs.

namespace csink::bench {
namespace {

/// One metric; nullopt if a run lacks it.
std::optional<Measured> Measure(std::span<const Round> rounds, Metric metric, double level) {
  const auto i = static_cast<std::size_t>(metric);
  std::vector<double> a;
  std::vector<double> b;
  std::vector<double> differences;
  for (const Round& round : rounds) {
    // 0: not measured, and without a logarithm. Rounds are pairs, so the metric cannot skip some.
    if (!(round.a[i] > 0) || !(round.b[i] > 0)) return std::nullopt;
    a.push_back(round.a[i]);
    b.push_back(round.b[i]);
    differences.push_back(std::log(round.a[i] / round.b[i]));
  }
  if (differences.empty()) return std::nullopt;
  // The level is that of this look: several looks share the error rate (sequential.h).
  const Centre centre = SignedRankCentre(differences, level);
  Measured measured;
  measured.metric = metric;
  measured.a = Median(std::move(a));
  measured.b = Median(std::move(b));
  // Not the ratio of the two medians above: a load that both runs of a round have cancels out in
  // the ratio of the round.
  measured.ratio = std::exp(centre.estimate);
  measured.interval = {std::exp(centre.interval.low), std::exp(centre.interval.high)};
  measured.noise = std::sqrt(Variance(differences));
  return measured;
}

/// The metric that decides, where the question leaves it open.
Metric Decider(std::span<const Round> rounds) {
  constexpr auto i = static_cast<std::size_t>(Metric::kInstructions);
  // In all rounds: a metric that some runs lack cannot decide.
  const bool counted = std::all_of(rounds.begin(), rounds.end(), [](const Round& round) {
    return round.a[i] > 0 && round.b[i] > 0;
  });
  return counted ? Metric::kInstructions : Metric::kCpu;
}

/// Where the interval lies to the limit. The limit is exceeded only if the whole interval is above
/// it, so that noise alone fails no build.
Limit LimitOf(const Interval& interval, const Question& question) {
  if (!question.max_slowdown) return Limit::kNone;
  const double limit = 1 + *question.max_slowdown;
  if (interval.low > limit) return Limit::kExceeded;
  return interval.high <= limit ? Limit::kKept : Limit::kUnclear;
}

/// Where the interval lies to 1. Only a narrow interval around 1 says that the two are the same.
Change ChangeOf(const Interval& interval, bool is_precise) {
  if (interval.low > 1) return Change::kSlower;
  if (interval.high < 1) return Change::kFaster;
  return is_precise ? Change::kSame : Change::kUnclear;
}

}  // namespace

const char* WordOf(Metric metric) {
  constexpr const char* kWords[kMetricCount] = {"instructions", "cpu", "wall", "page-faults",
                                                "memory"};
  return kWords[static_cast<std::size_t>(metric)];
}

Outcome Judge(std::span<const Round> rounds, const Look& look, const Question& question) {
  // Only the rounds of this look: the level is valid for exactly these.
  rounds = rounds.first(std::min(look.rounds, rounds.size()));
  Outcome outcome;
  outcome.rounds = rounds.size();
  const Metric decider = question.decides.value_or(Decider(rounds));
  if (auto measured = Measure(rounds, decider, look.level)) outcome.metrics.push_back(*measured);
  // Without the metric that decides there is no answer, whatever the other metrics say.
  if (outcome.metrics.empty()) return outcome;
  for (std::size_t i = 0; i < kMetricCount; ++i) {
    const auto metric = static_cast<Metric>(i);
    if (metric == decider) continue;
    if (auto measured = Measure(rounds, metric, look.level)) outcome.metrics.push_back(*measured);
  }
  const Interval& interval = outcome.metrics[0].interval;
  const double half = interval.HalfWidth();
  const bool is_precise = half <= question.precision;
  outcome.change = ChangeOf(interval, is_precise);
  outcome.limit = LimitOf(interval, question);
  const bool is_decided =
      question.max_slowdown ? outcome.limit != Limit::kUnclear : outcome.change != Change::kUnclear;
  // A narrow interval ends the measurement also where it contains the limit: the user asked for no
  // more than this precision.
  outcome.is_answered = is_precise || (is_decided && !question.only_precision);
  // The width falls with the square root of the number of rounds.
  const double times = std::isfinite(half) ? half / question.precision : 1;
  const double needed = std::ceil(static_cast<double>(outcome.rounds) * times * times);
  // 1e9 bounds the number before the conversion, which would be undefined beyond the type.
  outcome.rounds_for_precision =
      std::max(outcome.rounds, static_cast<std::size_t>(std::min(needed, 1e9)));
  return outcome;
}

}  // namespace csink::bench
