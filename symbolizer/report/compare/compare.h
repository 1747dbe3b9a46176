#pragma once

#include <string>
#include <vector>

#include "symbolizer/report/compare/baseline.h"
#include "symbolizer/report/data/comparison.h"
#include "symbolizer/report/text/table.h"

/// File: compares runs. One implementation for `csink diff` and for `--baseline`. docs/diff.md
/// describes the tests for users and has their measured error rates.

namespace csink::report {

/// Compares the first event that all runs have. `by`: functions, lines, modules, or waits, for
/// which the runs are results of WaitsOf.
///
/// Rows are matched across builds as follows. Functions by name without compilers' suffixes
/// (".isra.0", ".cold", " [clone ...]", Rust's hash), and by their module's base name up to ".so".
/// Lines by file name, number and function. Functions without a name by address if the build is the
/// same, otherwise all of a module are one row. Programs with different names on the two sides may
/// count as one module (MatchPrograms).
///
/// Each row has one test, of its amount (CPU time): CompareAmounts of
/// profil/statistics/amount_tests.h. If a side has fewer than kLeastTestedRuns runs, nothing is
/// significant, and p-values and intervals cover the sampling error only: runs of one program
/// differ by a few percent, far more than the sampling error of a hot function, and one or two runs
/// do not show how much they differ or whether they were unusual.
Comparison CompareRuns(const std::vector<Baseline>& now, const std::vector<Baseline>& then,
                       By by = By::kFunctions);

/// Compares one run with an earlier run; nothing is significant, because one run a side does not
/// show how much runs differ. `name` is the baseline as the user named it.
Comparison Compare(const Report& report, const Baseline& baseline, const std::string& name);

}  // namespace csink::report
