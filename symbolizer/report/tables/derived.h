#pragma once

#include <string>
#include <vector>

#include "symbolizer/report/tables/report.h"

/// File: ratios of two events (IPC, misses per 1000 instructions, miss rates) and their errors. The
/// formulas of the errors are in profil/statistics/statistics.h. Shares of slots (topdown.h) are
/// columns of the same kind.

namespace csink::report {

/// The columns that the profile's events allow, top-down shares first. docs/reading-reports.md
/// lists all ratios. Of several events that count the same thing the first one is used.
std::vector<DerivedColumn> DeriveColumns(const Profile& profile);

/// Appends the ratios of one row, one for each of report.derived, and their 95 % intervals. The two
/// events are sampled independently, and each share is a binomial count. The ratio is nullopt, and
/// its interval [0, 1], if the denominator has no samples. Counts of events that did not count all
/// the time are scaled up (ScaleOf).
void Derive(const Report& report, const std::vector<Cell>& cells, std::vector<Ratio>& ratios,
            std::vector<Interval>& intervals);

}  // namespace csink::report
