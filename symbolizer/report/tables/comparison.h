#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

/// File: what two groups of runs tell of each other: now (B) and then (A). compare.h makes it.

namespace csink::report {

/// One function (or line, or module) in both. Shares are of the compared event's whole weight,
/// 0..1; of several runs they are pooled, amounts are means.
struct ChangeRow {
  std::string function;  ///< Or "file:line"; empty where rows are modules
  std::string module;
  std::optional<double> share;  ///< None: it has no samples now
  std::optional<double> was;    ///< None: it had none then
  double change = 0;            ///< share - was, with nothing as 0
  double low = -1;              ///< 95 % interval of the change
  double high = 1;
  bool significant = false;  ///< The share, see CompareRuns
  double amount = 0;         ///< Seconds of a clock, else events
  double was_amount = 0;
  bool amount_significant = false;
  std::optional<double> p_value;         ///< Of the share; none: too few samples for a test
  std::optional<double> amount_p_value;  ///< Likewise, of the amount
  /// Both of them corrected for the number of tests: compared with 5 %. None where a side has
  /// fewer than kLeastRuns.
  std::optional<double> adjusted_p_value;
  std::optional<double> adjusted_amount_p_value;
  std::string moved;  ///< "inlined now", "no longer inlined", or empty
};

/// One side of a comparison.
struct ComparedSide {
  std::string name;  ///< As it was named
  std::string command;
  std::size_t runs = 1;
  double effective_samples = 0;  ///< Of the compared event, all runs together
  double cpu_seconds = 0;        ///< User and system, mean of the runs
  double amount = 0;             ///< Of the compared event, mean of the runs
  std::string verdict;           ///< The worst grade of its runs; empty: not known
};

/// Executables of both sides that count as one module (same_program.h). Base names.
struct ProgramMatch {
  std::string was;
  std::string now;
};

/// Changes are tested where both sides have so many runs. Two runs that agree by chance, beside
/// many that do not, are marked in more than 5 % of comparisons of a program with itself (12.7 %
/// where a seventh of the runs was disturbed;
/// tests/symbolizer/report/compare/compare_scatter_test.cpp).
inline constexpr std::size_t kLeastRuns = 3;

struct Comparison {
  std::string baseline;  ///< was.name
  std::string command;   ///< was.command
  std::string event;     ///< What was compared; empty: the runs have no event in common
  bool is_clock = true;  ///< Amounts are seconds
  std::string unit;      ///< What rows are: "function", "line", "module"
  double effective_samples = 0;
  double was_effective_samples = 0;
  double cpu_seconds = 0;             ///< User and system
  double was_cpu_seconds = 0;         ///< Likewise, then
  std::optional<double> ratio;        ///< cpu_seconds / was_cpu_seconds
  std::optional<double> cpu_p_value;  ///< Welch's test; none: too few runs on a side
  std::size_t tests = 0;              ///< That were corrected for
  bool between_runs = false;          ///< Both sides have kLeastRuns: changes were tested
  ComparedSide now;
  ComparedSide was;
  std::vector<ProgramMatch> programs;  ///< Taken for one though they are called differently
  std::vector<ChangeRow> functions;    ///< The largest change first
};

}  // namespace csink::report
