#pragma once

#include <string>
#include <vector>

#include "symbolizer/report/tables/report.h"

/// File: ratios of two events (IPC, misses per 1000 instructions, miss rates) and their errors. The
/// formulas of the errors are in profil/statistics/statistics.h.

namespace csink::report {

/// The ratios that the profile's events allow. docs/reading-reports.md lists all of them.
std::vector<DerivedColumn> DeriveColumns(const Profile& profile);

/// The ratios of one row, one for each derived column, with their 95 % intervals. The two events
/// are sampled independently, and each share is a binomial count. nullopt if the denominator has no
/// samples.
void Derive(const Report& report, const std::vector<Cell>& cells, std::vector<Ratio>& ratios,
            std::vector<Interval>& intervals);

}  // namespace csink::report
