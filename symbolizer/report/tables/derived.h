#pragma once

#include <string>
#include <vector>

#include "symbolizer/report/tables/report.h"

/// File: ratios of two events (IPC, misses per 1000 instructions, miss shares) and how sure they
/// are. The formulas of the errors are in profil/statistics/statistics.h.

namespace csink::report {

/// The ratios that the profile's events allow. docs/reading-reports.md lists them all.
std::vector<DerivedColumn> DeriveColumns(const Profile& profile);

/// The ratios of one row, one a derived column, with their 95 % intervals: the two events are
/// sampled independently of each other, each share is a binomial count. Without samples below the
/// line there is no ratio.
void Derive(const Report& report, const std::vector<Cell>& cells, std::vector<Ratio>& ratios,
            std::vector<Interval>& intervals);

}  // namespace csink::report
