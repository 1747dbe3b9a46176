#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

/// File: the result of a comparison of two groups of runs: now (B, the later runs) and then (A, the
/// earlier ones). compare/compare.h computes it; docs/diff.md describes it for users.

namespace csink::report {

/// One function (or line, or module) of both sides. Shares are relative to the compared event's
/// total weight, 0..1. Shares of several runs are pooled; amounts are means over the runs.
struct ChangeRow {
  /// Or "file:line in function" where rows are lines; empty where rows are modules.
  std::string function;
  std::string module;
  /// nullopt if the later side has no samples.
  std::optional<double> share;
  /// nullopt if the earlier side has no samples.
  std::optional<double> was;
  double change = 0;  ///< share - was; a missing value counts as 0
  /// 95 % interval of the change: of the sampling error, and if the runs were tested also of the
  /// variation between runs.
  double low = -1;
  double high = 1;
  /// The share's adjusted p-value is below 5 %. Always false if a side has fewer than kLeastRuns
  /// runs.
  bool significant = false;
  /// Mean amount of a run of the later side: seconds for a clock, else events.
  double amount = 0;
  /// The same for the earlier side.
  double was_amount = 0;
  /// As `significant`, for the amount.
  bool amount_significant = false;
  std::optional<double> p_value;         ///< Of the share; nullopt: too few samples
  std::optional<double> amount_p_value;  ///< Of the amount; nullopt: too few samples
  /// The p-values corrected for the number of tests, to be compared with 5 %. nullopt if a side has
  /// fewer than kLeastRuns runs.
  std::optional<double> adjusted_p_value;
  std::optional<double> adjusted_amount_p_value;
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

/// Changes are tested only if both sides have at least this many runs. With two runs that agree by
/// chance against many that do not, more than 5 % of comparisons of a program with itself would be
/// marked (12.7 % if a seventh of the runs was disturbed;
/// tests/symbolizer/report/compare/compare_scatter_test.cpp).
inline constexpr std::size_t kLeastRuns = 3;

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
  std::optional<double> cpu_p_value;  ///< Welch's test; nullopt: too few runs on a side
  /// Number of tests in Holm's correction: two for each tested row.
  std::size_t tests = 0;
  bool between_runs = false;  ///< Both sides have kLeastRuns runs, so that changes were tested
  ComparedSide now;
  ComparedSide was;
  std::vector<ProgramMatch> programs;  ///< Counted as one program despite different names
  /// Rows, the largest change of the share first.
  std::vector<ChangeRow> functions;
};

}  // namespace csink::report
