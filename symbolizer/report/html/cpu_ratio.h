#pragma once

#include <optional>
#include <vector>

#include "profil/statistics/statistics.h"
#include "symbolizer/report/compare/baseline.h"

/// File: the error of the ratio of two mean CPU times.

namespace csink::report {

/// The 95 % interval of Comparison::ratio, from the variation between runs: CPU time has no
/// sampling error. It contains 1 exactly if Comparison::cpu_p_value is above 5 %. nullopt: a side
/// has fewer than kLeastRuns runs, or the earlier CPU time is so uncertain that the ratio has no
/// bound.
std::optional<Interval> CpuRatioInterval(const std::vector<Baseline>& now,
                                         const std::vector<Baseline>& then);

}  // namespace csink::report
