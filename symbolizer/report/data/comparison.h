#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "profil/statistics/slowdown.h"
#include "profil/statistics/statistics.h"

/// File: the result of a comparison of two groups of runs: now (B, the later runs) and then (A, the
/// earlier ones). compare/compare.h computes it; docs/diff.md describes it for users.

namespace csink::report {

/// One function (or line, or module) of both sides. Shares are relative to the compared event's
/// total weight, 0..1, pooled over the runs. They are shown and not tested: the share of a function
/// whose time is the same falls where another function grows. Amounts are tested.
struct ChangeRow {
  /// Or "file:line in function" where rows are lines; empty where rows are modules.
  std::string function;
  std::string module;
  /// nullopt if the later side has no samples.
  std::optional<double> share;
  /// nullopt if the earlier side has no samples.
  std::optional<double> was;
  double change = 0;  ///< share - was; a missing value counts as 0
  /// Mean amount of a run of the later side: seconds for a clock, else events.
  double amount = 0;
  /// The same for the earlier side.
  double was_amount = 0;
  /// 95 % interval of amount / was_amount: from 0 where the row is gone, to infinity where it is
  /// new. Without tests it is that of the sampling error.
  Interval ratio = {0, std::numeric_limits<double>::infinity()};
  /// Of the amount. nullopt: too few samples. Without tests of the sampling error.
  std::optional<double> p_value;
  /// Corrected for the number of tests, to be compared with 5 %. nullopt if a side has fewer than
  /// kLeastTestedRuns runs, or the row has too few samples.
  std::optional<double> adjusted_p_value;
  /// adjusted_p_value is below 5 %.
  bool significant = false;
  /// The relative increase that as many runs as these find in 80 % of repetitions: 0.24 is 24 %.
  /// nullopt: not tested.
  std::optional<double> findable;
  /// The same with samples every kShortPeriodNs; nullopt also if the period is not much longer.
  std::optional<double> findable_short;
  /// How many runs a side find an increase of kUsualChange. nullopt: not tested.
  std::optional<double> runs_for_usual;
  /// "inlined now", "no longer inlined", or empty. Only for functions, and only if runs have
  /// inlined functions (JSON: --by inlines).
  std::string moved;
};

/// One side of a comparison.
struct ComparedSide {
  std::string name;  ///< As the user named it
  std::string command;
  std::size_t runs = 1;
  double effective_samples = 0;  ///< Of the compared event, sum of all runs
  double cpu_seconds = 0;        ///< User and system time, mean of the runs
  double amount = 0;             ///< Of the compared event, mean of the runs
  /// The worst grade of its runs, in one word (WordFor). Empty if it is not known.
  std::string verdict;
};

/// Executables of the two sides that count as one module (MatchPrograms of baseline.h), as base
/// names.
struct ProgramMatch {
  /// Base name on the earlier side, and on the later side.
  std::string was;
  std::string now;
};

/// What is said of how small a change can be found.
inline constexpr double kShortPeriodNs = 200'000;
inline constexpr double kUsualChange = 0.1;

/// In which order the runs of both sides started.
enum class RunOrder : unsigned char {
  kUnknown,  ///< A run has no start time
  kMixed,    ///< Some run of each side started before some run of the other
  kThenFirst,
  kNowFirst,
};

struct ChangeCauses;  // change_causes.h

/// The whole result. `baseline`, `command`, `cpu_seconds` and `effective_samples` repeat members of
/// the sides under the names of the baseline section of a report.
struct Comparison {
  std::string baseline;  ///< was.name
  std::string command;   ///< was.command
  /// The compared event, the first of the later side that all runs have. Empty if the runs have no
  /// event in common; then there are no rows.
  std::string event;
  /// Amounts are seconds.
  bool is_clock = true;
  std::string unit;  ///< What a row is: "function", "line", "module"
  double effective_samples = 0;
  double was_effective_samples = 0;
  double cpu_seconds = 0;      ///< User and system
  double was_cpu_seconds = 0;  ///< The same for the earlier side
  /// cpu_seconds / was_cpu_seconds. nullopt if the earlier CPU time is 0, that is, not known.
  std::optional<double> ratio;
  /// Its 95 % interval (CpuRatioInterval). nullopt: too few runs on a side, or no bound.
  std::optional<Interval> ratio_interval;
  std::optional<double> cpu_p_value;  ///< Welch's test; nullopt: too few runs on a side
  /// For --fail-if-slower. nullopt: the CPU time of a run is not known.
  std::optional<Slowdown> slowdown;
  std::size_t tests = 0;      ///< Number of tested rows, for Holm's correction
  bool between_runs = false;  ///< Both sides have kLeastTestedRuns runs: changes were tested
  RunOrder order = RunOrder::kUnknown;
  ComparedSide now;
  ComparedSide was;
  std::vector<ProgramMatch> programs;  ///< Counted as one program despite different names
  /// Why the amounts changed; null: it was not asked. Its rows follow those of `functions` by name.
  std::shared_ptr<const ChangeCauses> causes;
  /// Rows, the largest change of the amount first.
  std::vector<ChangeRow> functions;
};

}  // namespace csink::report
