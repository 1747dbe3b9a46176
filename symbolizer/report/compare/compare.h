#pragma once

#include <string>
#include <vector>

#include "symbolizer/report/compare/baseline.h"
#include "symbolizer/report/tables/comparison.h"
#include "symbolizer/report/text/table.h"

/// File: what changed between runs. One engine for `csink diff` and for `--baseline`.

namespace csink::report {

/// Compares the first event that all runs have. `by`: functions, lines or modules.
///
/// Rows meet across builds: functions by name, without what compilers put behind it (".isra.0",
/// ".cold", " [clone ...]", Rust's hash), and their module's base name up to ".so"; lines by file
/// name, number and function. Functions without a name meet by address where the builds are the
/// same, else all of a module are one row. Programs that are called differently on both sides
/// count as one module (same_program.h).
///
/// Two tests a row. Of the share: the two-proportion z test (profil/statistics/statistics.h) with
/// effective sample numbers. Of the amount (CPU time): z of the difference, each amount t with the
/// variance t^2 (1 - share) / (share n) of its sampling. With kLeastRuns or more on each side,
/// Welch's and Student's test over the runs' values (profil/statistics/hypothesis.h) as well: the
/// largest p-value counts, so that a change has to be beyond the sampling error and beyond what
/// differs from run to run. Both sides must expect at least five samples in a row, else it is not
/// tested. A change is significant when its p-value, by Holm's correction for all these tests
/// together, is below 5 %. Where a side has fewer runs nothing is significant, and p-values and
/// intervals are of the sampling error alone: runs of one program differ by a few percent, which is
/// far more than the sampling error of a hot function, and one or two runs do not tell by how much,
/// nor whether they were unusual.
Comparison CompareRuns(const std::vector<Baseline>& now, const std::vector<Baseline>& then,
                       By by = By::kFunctions);

/// One run with an earlier one: nothing is significant. `name`: what the user called the baseline.
Comparison Compare(const Report& report, const Baseline& baseline, const std::string& name);

}  // namespace csink::report
