#include "symbolizer/report/compare/compare.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "profil/statistics/amount_tests.h"
#include "profil/statistics/hypothesis.h"
#include "symbolizer/report/compare/baseline.h"
#include "symbolizer/report/compare/cpu_ratio.h"
#include "symbolizer/report/compare/row_keys.h"

/// File: compares two groups of runs. (1) The first event that all runs have is chosen. (2) Pairing
/// adds up rows of both sides that are the same function, line or module (row_keys.h). (3) TestRows
/// tests their amounts (profil/statistics/amount_tests.h; docs/design/report.md has the reasons).
/// tests/symbolizer/report/compare/compare_scatter_test.cpp simulates the rates of errors.

namespace csink::report {
namespace {

/// Significance level of all tests of a comparison together.
constexpr double kLevel = 0.05;

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
      // -1: the run does not have the row.
      row.now.resize(now_.runs.size(), -1);
      row.then.resize(then_.runs.size(), -1);
      double& share = (row.*shares)[i];
      share = std::min(1.0, std::max(0.0, share) + function.shares[side.event[i]]);
    }
  }
}

/// The runs of a side, for the tests.
std::vector<SampledRun> SampledRuns(const Side& side) {
  std::vector<SampledRun> runs;
  for (std::size_t i = 0; i < side.runs.size(); ++i) {
    runs.push_back({side.Event(i).effective_samples, side.Amount(i)});
  }
  return runs;
}

/// A run without the row has the share 0: otherwise a rare function would seem to be frequent.
std::vector<double> KnownShares(std::vector<double> shares) {
  for (double& share : shares) share = std::max(0.0, share);
  return shares;
}

/// The share of all samples of a side; nullopt: no run has the row.
std::optional<double> PooledShare(const Side& side, const std::vector<double>& shares) {
  double weighted = 0;
  bool is_there = false;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    is_there = is_there || shares[i] > 0;
    weighted += std::max(0.0, shares[i]) * side.Event(i).effective_samples;
  }
  if (!is_there) return std::nullopt;
  const double samples = side.Samples();
  return samples > 0 ? weighted / samples : Mean(KnownShares(shares));
}

/// What can be found of the row. `period_ns`: of a clock; 0: it is none.
void AddFindable(const AmountChange& test, double period_ns, ChangeRow& row) {
  row.findable = FindableChange(test);
  // With nearly the same period the answer would be nearly the same.
  if (period_ns > 1.5 * kShortPeriodNs) {
    row.findable_short = FindableChange(test, period_ns / kShortPeriodNs);
  }
}

/// Estimates and tests all rows.
void TestRows(const std::vector<Row>& rows, const Side& now, const Side& then,
              Comparison& comparison) {
  std::vector<RowShares> shares;
  shares.reserve(rows.size());
  for (const Row& row : rows) shares.push_back({KnownShares(row.then), KnownShares(row.now)});
  const std::vector<SampledRun> runs = SampledRuns(now);
  const std::vector<SampledRun> were = SampledRuns(then);
  const std::vector<AmountChange> tests = CompareAmounts(were, runs, shares);
  const double samples = now.Samples() + then.Samples();
  double amount = 0;
  for (const auto& side : {runs, were}) {
    for (const SampledRun& run : side) amount += run.amount;
  }
  const double period_ns = comparison.is_clock && samples > 0 ? amount / samples * 1e9 : 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const AmountChange& test = tests[i];
    ChangeRow& row = comparison.functions.emplace_back();
    row.function = rows[i].function;
    row.module = rows[i].module;
    row.share = PooledShare(now, rows[i].now);
    row.was = PooledShare(then, rows[i].then);
    row.change = row.share.value_or(0) - row.was.value_or(0);
    row.amount = test.amount_b;
    row.was_amount = test.amount_a;
    row.ratio = test.ratio;
    if (!test.enough) continue;
    row.p_value = test.p_value;
    if (!comparison.between_runs) continue;
    ++comparison.tests;
    row.adjusted_p_value = test.adjusted_p_value;
    row.significant = test.adjusted_p_value < kLevel;
    AddFindable(test, period_ns, row);
    row.runs_for_usual = RunsToFind(test, kUsualChange) *
                         static_cast<double>(std::min(now.runs.size(), then.runs.size()));
  }
}

/// In which order the runs of both sides started.
RunOrder OrderOf(const Runs& now, const Runs& then) {
  const auto starts = [](const Runs& runs) {
    const auto [first, last] = std::minmax_element(
        runs.begin(), runs.end(),
        [](const Baseline& a, const Baseline& b) { return a.start_time < b.start_time; });
    return std::pair(first->start_time, last->start_time);
  };
  if (now.empty() || then.empty()) return RunOrder::kUnknown;
  const auto [first, last] = starts(now);
  const auto [was_first, was_last] = starts(then);
  if (!(std::min(first, was_first) > 0)) return RunOrder::kUnknown;
  if (was_last < first) return RunOrder::kThenFirst;
  return last < was_first ? RunOrder::kNowFirst : RunOrder::kMixed;
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
  comparison.between_runs = std::min(now.size(), then.size()) >= kLeastTestedRuns;
  // CPU time has no sampling error, so only the test over the runs applies.
  if (comparison.between_runs) comparison.cpu_p_value = WelchPValue(cpu, was_cpu);
  comparison.ratio_interval = CpuRatioInterval(cpu, was_cpu);
  comparison.slowdown = SlowdownOf(was_cpu, cpu);
  comparison.order = OrderOf(now, then);
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
  TestRows(Pairing(side_now, side_then, by, comparison.programs).Rows(), side_now, side_then,
           comparison);
  if (by == By::kFunctions) FindMoved(now, then, comparison);
  // Largest change first. Equal changes keep the order of the names.
  std::stable_sort(comparison.functions.begin(), comparison.functions.end(),
                   [](const ChangeRow& a, const ChangeRow& b) {
                     return std::fabs(a.amount - a.was_amount) > std::fabs(b.amount - b.was_amount);
                   });
  return comparison;
}

Comparison Compare(const Report& report, const Baseline& baseline, const std::string& name) {
  Comparison comparison = CompareRuns({BaselineOf(report)}, {baseline});
  comparison.baseline = comparison.was.name = name;
  return comparison;
}

}  // namespace csink::report
