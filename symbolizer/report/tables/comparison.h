#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

/// File: the result of a comparison of two groups of runs: now (B) and then (A). compare.h computes
/// it.

namespace csink::report {

/// One function (or line, or module) of both sides. Shares are relative to the compared event's
/// total weight, 0..1. Shares of several runs are pooled; amounts are means over the runs.
struct ChangeRow {
  std::string function;  ///< Or "file:line"; empty where rows are modules
  std::string module;
  std::optional<double> share;  ///< nullopt: no samples now
  std::optional<double> was;    ///< nullopt: no samples then
  double change = 0;            ///< share - was; a missing value counts as 0
  double low = -1;              ///< 95 % interval of the change
  double high = 1;
  bool significant = false;  ///< Of the share; see CompareRuns
  double amount = 0;         ///< Seconds for a clock, else events
  double was_amount = 0;
  bool amount_significant = false;
  std::optional<double> p_value;         ///< Of the share; nullopt: too few samples
  std::optional<double> amount_p_value;  ///< Of the amount; nullopt: too few samples
  /// The p-values corrected for the number of tests, to be compared with 5 %. nullopt if a side has
  /// fewer than kLeastRuns runs.
  std::optional<double> adjusted_p_value;
  std::optional<double> adjusted_amount_p_value;
  std::string moved;  ///< "inlined now", "no longer inlined", or empty
};

/// One side of a comparison.
struct ComparedSide {
  std::string name;  ///< As the user named it
  std::string command;
  std::size_t runs = 1;
  double effective_samples = 0;  ///< Of the compared event, sum of all runs
  double cpu_seconds = 0;        ///< User and system time, mean of the runs
  double amount = 0;             ///< Of the compared event, mean of the runs
  std::string verdict;           ///< The worst grade of its runs; empty: unknown
};

/// Executables of the two sides that count as one module (same_program.h), as base names.
struct ProgramMatch {
  std::string was;
  std::string now;
};

/// Changes are tested only if both sides have at least this many runs. With two runs that agree by
/// chance against many that do not, more than 5 % of comparisons of a program with itself would be
/// marked (12.7 % if a seventh of the runs was disturbed;
/// tests/symbolizer/report/compare/compare_scatter_test.cpp).
inline constexpr std::size_t kLeastRuns = 3;

struct Comparison {
  std::string baseline;  ///< was.name
  std::string command;   ///< was.command
  std::string event;     ///< The compared event; empty: the runs have no event in common
  bool is_clock = true;  ///< Amounts are seconds
  std::string unit;      ///< What a row is: "function", "line", "module"
  double effective_samples = 0;
  double was_effective_samples = 0;
  double cpu_seconds = 0;             ///< User and system
  double was_cpu_seconds = 0;         ///< The same for the earlier side
  std::optional<double> ratio;        ///< cpu_seconds / was_cpu_seconds
  std::optional<double> cpu_p_value;  ///< Welch's test; nullopt: too few runs on a side
  std::size_t tests = 0;              ///< Number of tests in the correction
  bool between_runs = false;  ///< Both sides have kLeastRuns runs, so that changes were tested
  ComparedSide now;
  ComparedSide was;
  std::vector<ProgramMatch> programs;  ///< Counted as one program despite different names
  std::vector<ChangeRow> functions;    ///< Largest change first
};

}  // namespace csink::report
