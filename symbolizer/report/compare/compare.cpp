#include "symbolizer/report/compare/compare.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "profil/statistics/hypothesis.h"
#include "profil/statistics/statistics.h"
#include "symbolizer/report/compare/baseline.h"
#include "symbolizer/report/compare/row_keys.h"

/// File: compares two groups of runs. (1) The first event that all runs have is chosen. (2) Pairing
/// adds up rows of both sides that are the same function, line or module (row_keys.h). (3) TestRow
/// estimates the change of each row and computes p-values; if both sides have kLeastRuns runs, the
/// largest p-value of three tests counts (docs/design/report.md). (4) JudgeAll corrects the
/// p-values for their number and marks changes. docs/diff.md has the measured error rates;
/// tests/symbolizer/report/compare/compare_scatter_test.cpp simulates them.

namespace csink::report {
namespace {

/// Significance level of all tests of a comparison together.
constexpr double kLevel = 0.05;
/// The normal approximation of the tests needs this number of samples on both sides.
constexpr double kLeastExpected = 5;
/// A value above 1 marks a test that was not made: HolmAdjusted ignores it.
constexpr double kNotTested = 2;

using Runs = std::vector<Baseline>;

/// "solve(int, double)" -> "solve". Debug information without linkage names has no parameters, so
/// these names match across builds. The brackets of "operator()" are part of the name.
std::string WithoutParameters(const std::string& function) {
  const auto at = function.find(
      '(', function.find("operator()") == std::string::npos ? 0 : function.find("operator()") + 10);
  return at == 0 || at == std::string::npos ? function : function.substr(0, at);
}

/// The rows of a run that are compared.
const std::vector<Baseline::Function>& RowsOf(const Baseline& run, By by) {
  return by == By::kLines ? run.lines : by == By::kModules ? run.modules : run.functions;
}

/// The index of the event in each run; empty if a run does not have it.
std::vector<std::size_t> FindIn(const Runs& runs, const std::string& event) {
  std::vector<std::size_t> found;
  for (const Baseline& run : runs) {
    const auto it = std::find_if(run.events.begin(), run.events.end(),
                                 [&](const Baseline::Event& e) { return e.name == event; });
    if (it == run.events.end()) return {};
    found.push_back(static_cast<std::size_t>(it - run.events.begin()));
  }
  return found;
}

/// One side of the comparison, with the index of the compared event in each run.
struct Side {
  const Runs& runs;
  std::vector<std::size_t> event;

  const Baseline::Event& Event(std::size_t run) const { return runs[run].events[event[run]]; }
  // Effective samples of the compared event, all runs together.
  double Samples() const {
    double sum = 0;
    for (std::size_t i = 0; i < runs.size(); ++i) sum += Event(i).effective_samples;
    return sum;
  }
  /// In seconds for a clock, else in events.
  double Amount(std::size_t run) const {
    return Event(run).is_clock ? Event(run).weight / 1e9 : Event(run).weight;
  }
};

/// One row: its share in each run of both sides; negative: the run does not have the row.
struct Row {
  std::string function;
  std::string module;
  std::vector<double> now;
  std::vector<double> then;
};

/// Matches the rows of all runs. Shares of rows that meet under one key within a run are added.
class Pairing {
 public:
  Pairing(const Side& now, const Side& then, By by, const std::vector<ProgramMatch>& programs)
      : now_(now), then_(then), by_(by), keys_(now.runs, then.runs, by, programs) {}

  std::vector<Row> Rows() {
    Add(then_, DiffSide::kThen, &Row::then);
    Add(now_, DiffSide::kNow, &Row::now);
    std::vector<Row> rows;
    for (auto& [key, row] : rows_) rows.push_back(std::move(row));
    return rows;
  }

 private:
  void Add(const Side& side, DiffSide which, std::vector<double> Row::*shares);

  const Side& now_;
  const Side& then_;
  By by_;
  RowKeys keys_;
  std::map<RowKeys::Key, Row> rows_;
};

/// Adds the rows of one side. `shares` says which member of Row receives them. The later side is
/// added second, so a row has the later side's spelling of its names.
void Pairing::Add(const Side& side, DiffSide which, std::vector<double> Row::*shares) {
  for (std::size_t i = 0; i < side.runs.size(); ++i) {
    for (const Baseline::Function& function : RowsOf(side.runs[i], by_)) {
      // Rows without samples of the compared event do not take part.
      if (side.event[i] >= function.shares.size() || function.shares[side.event[i]] <= 0) continue;
      const std::string name = keys_.NameOf(function.function, function.module, which);
      Row& row = rows_[keys_.KeyOf(name, function.module, which)];
      row.function = name;
      row.module = function.module;
      // -1: the run does not have the row. EstimateOf counts this as a share of 0.
      row.now.resize(now_.runs.size(), -1);
      row.then.resize(then_.runs.size(), -1);
      double& share = (row.*shares)[i];
      share = std::min(1.0, std::max(0.0, share) + function.shares[side.event[i]]);
    }
  }
}

/// The estimates for one row on one side.
struct Estimate {
  std::vector<double> shares;   // One for each run
  std::vector<double> amounts;  // One for each run
  std::optional<double> share;  // Pooled over the runs
  double amount = 0;            // Mean of the runs
  double variance = 0;          // Of that mean, sampling error only
};

/// Computes a row's estimates on one side from its share in each run. The pooled share weights runs
/// by their effective samples; the amount is the plain mean of the runs. Its variance is that of
/// the mean of independent runs, where an amount with k equivalent events has the relative variance
/// 1 / k.
Estimate EstimateOf(const Side& side, const std::vector<double>& shares) {
  Estimate estimate;
  const double runs = static_cast<double>(shares.size());
  double weighted = 0;
  double samples = 0;
  bool is_there = false;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    is_there = is_there || shares[i] > 0;
    const double share = std::max(0.0, shares[i]);
    const double n = side.Event(i).effective_samples;
    const double amount = share * side.Amount(i);
    // A run without the row counts with a share of 0: otherwise a rare function would seem to be
    // frequent.
    estimate.shares.push_back(share);
    estimate.amounts.push_back(amount);
    weighted += share * n;
    samples += n;
    const double count = EquivalentCount(share, n);
    if (count > 0) estimate.variance += amount * amount / count / (runs * runs);
  }
  if (is_there) estimate.share = samples > 0 ? weighted / samples : Mean(estimate.shares);
  estimate.amount = Mean(estimate.amounts);
  return estimate;
}

/// Few runs may agree by chance. If the other side has many runs that differ, Welch's test trusts
/// the small variance of the few; the pooled variance is hardly affected by it. So the larger
/// p-value of both tests is used. With equal numbers of runs, Welch's p-value is always the larger
/// one.
double BetweenRunsPValue(const std::vector<double>& a, const std::vector<double>& b) {
  return std::max(WelchPValue(a, b), PooledPValue(a, b));
}

/// Computes a row, except the values that need all tests together (Holm's correction).
ChangeRow TestRow(const Row& row, const Side& now, const Side& then, bool between_runs) {
  const Estimate a = EstimateOf(now, row.now);
  const Estimate b = EstimateOf(then, row.then);
  const double n = now.Samples();
  const double m = then.Samples();
  const double share = a.share.value_or(0);
  const double was = b.share.value_or(0);
  ChangeRow change;
  change.function = row.function;
  change.module = row.module;
  change.share = a.share;
  change.was = b.share;
  change.change = share - was;
  change.amount = a.amount;
  change.was_amount = b.amount;
  const Interval interval = DifferenceInterval(share, n, was, m);
  change.low = interval.low;
  change.high = interval.high;
  // The interval must contain both errors, so the wider one on each side counts.
  if (between_runs) {
    const double half = WelchHalfWidth(a.shares, b.shares);
    change.low = std::max(-1.0, std::min(change.low, change.change - half));
    change.high = std::min(1.0, std::max(change.high, change.change + half));
  }
  const double pooled = n + m > 0 ? (share * n + was * m) / (n + m) : 0;
  // Written so that NaN is not tested, either.
  if (!(pooled * std::min(n, m) >= kLeastExpected)) return change;
  double p = TwoProportionPValue(share, n, was, m);
  const double variance = a.variance + b.variance;
  // Without any variance the p-value is 0 or 1.
  double amount_p = a.amount == b.amount ? 1 : 0;
  // Two-sided p-value of z: erfc(|z| / sqrt(2)).
  if (variance > 0) amount_p = std::erfc(std::fabs(a.amount - b.amount) / std::sqrt(2 * variance));
  if (between_runs) {
    p = std::max(p, BetweenRunsPValue(a.shares, b.shares));
    amount_p = std::max(amount_p, BetweenRunsPValue(a.amounts, b.amounts));
  }
  change.p_value = p;
  change.amount_p_value = amount_p;
  return change;
}

/// Applies Holm's correction to all tests of the comparison together. Does nothing if a side has
/// fewer than kLeastRuns: one or two runs do not show how much runs of the program differ, and this
/// difference is larger than the sampling error.
void JudgeAll(Comparison& comparison) {
  if (!comparison.between_runs) return;
  std::vector<double> p_values;
  for (const ChangeRow& row : comparison.functions) {
    // Two tests a row, at the indices 2 i and 2 i + 1.
    p_values.push_back(row.p_value.value_or(kNotTested));
    p_values.push_back(row.amount_p_value.value_or(kNotTested));
    comparison.tests += (p_values.end()[-1] <= 1) + (p_values.end()[-2] <= 1);
  }
  const std::vector<double> adjusted = HolmAdjusted(p_values);
  for (std::size_t i = 0; i < comparison.functions.size(); ++i) {
    ChangeRow& row = comparison.functions[i];
    if (!row.p_value) continue;
    row.adjusted_p_value = adjusted[2 * i];
    row.significant = adjusted[2 * i] < kLevel;
    row.adjusted_amount_p_value = adjusted[2 * i + 1];
    row.amount_significant = adjusted[2 * i + 1] < kLevel;
  }
}

/// The names, without parameters, of functions with inlined copies in any run.
std::set<std::string> InlinedIn(const Runs& runs) {
  std::set<std::string> names;
  for (const Baseline& run : runs) {
    for (const Baseline::Function& function : run.inlined) {
      const auto& shares = function.shares;
      if (std::any_of(shares.begin(), shares.end(), [](double share) { return share > 0; })) {
        names.insert(WithoutParameters(function.function));
      }
    }
  }
  return names;
}

/// Marks rows that exist on one side only because the compiler inlined the function there. Needs
/// runs with rows of inlined functions; others have none, and nothing is marked.
void FindMoved(const Runs& now, const Runs& then, Comparison& comparison) {
  const std::set<std::string> inlined = InlinedIn(now);
  const std::set<std::string> were_inlined = InlinedIn(then);
  for (ChangeRow& row : comparison.functions) {
    const std::string name = WithoutParameters(row.function);
    if (!row.share && inlined.count(name) != 0 && were_inlined.count(name) == 0) {
      row.moved = "inlined now";
    }
    if (!row.was && were_inlined.count(name) != 0 && inlined.count(name) == 0) {
      row.moved = "no longer inlined";
    }
  }
}

/// The worst grade of all runs, in the words of WordFor. "short" is worse than "fair": such a run
/// was not judged. "" if no run has a known grade.
std::string WorstVerdict(const Runs& runs) {
  // From best to worst.
  static constexpr const char* kGrades[] = {"good", "fair", "short", "poor"};
  std::string worst;
  std::ptrdiff_t place = -1;
  for (const Baseline& run : runs) {
    const auto at = std::find(std::begin(kGrades), std::end(kGrades), run.verdict);
    if (at != std::end(kGrades) && at - std::begin(kGrades) > place) {
      place = at - std::begin(kGrades);
      worst = run.verdict;
    }
  }
  return worst;
}

/// What a side is, apart from the compared event. `cpu_seconds` receives one value for each run,
/// for the test over the runs.
ComparedSide DescribeSide(const Runs& runs, std::vector<double>& cpu_seconds) {
  ComparedSide side;
  side.runs = runs.size();
  if (!runs.empty()) side.command = runs[0].command;
  for (const Baseline& run : runs) cpu_seconds.push_back(run.cpu_seconds);
  side.cpu_seconds = Mean(cpu_seconds);
  side.verdict = WorstVerdict(runs);
  return side;
}

/// The first event of the later runs that all runs have; "": none.
std::string CommonEvent(const Runs& now, const Runs& then) {
  if (now.empty() || then.empty()) return "";
  for (const Baseline::Event& event : now[0].events) {
    if (!FindIn(now, event.name).empty() && !FindIn(then, event.name).empty()) return event.name;
  }
  return "";
}

/// What a row is, as JSON and the text call it.
const char* UnitOf(By by) {
  switch (by) {
    case By::kLines:
      return "line";
    case By::kModules:
      return "module";
    case By::kWaits:
      return "wait";
    default:
      return "function";
  }
}

}  // namespace

Comparison CompareRuns(const Runs& now, const Runs& then, By by) {
  Comparison comparison;
  std::vector<double> cpu;
  std::vector<double> was_cpu;
  comparison.now = DescribeSide(now, cpu);
  comparison.was = DescribeSide(then, was_cpu);
  comparison.unit = UnitOf(by);
  comparison.command = comparison.was.command;
  comparison.cpu_seconds = comparison.now.cpu_seconds;
  comparison.was_cpu_seconds = comparison.was.cpu_seconds;
  if (comparison.was_cpu_seconds > 0) {
    comparison.ratio = comparison.cpu_seconds / comparison.was_cpu_seconds;
  }
  comparison.between_runs = std::min(now.size(), then.size()) >= kLeastRuns;
  // CPU time has no sampling error, so only the test over the runs applies.
  if (comparison.between_runs) comparison.cpu_p_value = WelchPValue(cpu, was_cpu);
  comparison.event = CommonEvent(now, then);
  if (comparison.event.empty()) return comparison;

  const Side side_now{now, FindIn(now, comparison.event)};
  const Side side_then{then, FindIn(then, comparison.event)};
  comparison.is_clock = side_now.Event(0).is_clock;
  comparison.now.effective_samples = comparison.effective_samples = side_now.Samples();
  comparison.was.effective_samples = comparison.was_effective_samples = side_then.Samples();
  for (std::size_t i = 0; i < now.size(); ++i) {
    comparison.now.amount += side_now.Amount(i) / static_cast<double>(now.size());
  }
  for (std::size_t i = 0; i < then.size(); ++i) {
    comparison.was.amount += side_then.Amount(i) / static_cast<double>(then.size());
  }
  // Before the rows are matched: modules of both sides meet by these names.
  comparison.programs = MatchPrograms(now, then);
  for (const Row& row : Pairing(side_now, side_then, by, comparison.programs).Rows()) {
    comparison.functions.push_back(TestRow(row, side_now, side_then, comparison.between_runs));
  }
  JudgeAll(comparison);
  if (by == By::kFunctions) FindMoved(now, then, comparison);
  // Largest change first. Equal changes keep the order of the names.
  std::stable_sort(comparison.functions.begin(), comparison.functions.end(),
                   [](const ChangeRow& a, const ChangeRow& b) {
                     return std::fabs(a.change) > std::fabs(b.change);
                   });
  return comparison;
}

Comparison Compare(const Report& report, const Baseline& baseline, const std::string& name) {
  Comparison comparison = CompareRuns({BaselineOf(report)}, {baseline});
  comparison.baseline = comparison.was.name = name;
  return comparison;
}

}  // namespace csink::report
