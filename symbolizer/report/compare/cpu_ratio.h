#pragma once

#include <optional>
#include <vector>

#include "profil/statistics/statistics.h"

/// File: the error of the ratio of two mean CPU times. One value is the seconds of one run.

namespace csink::report {

/// The 95 % interval of Comparison::ratio, from the variation between runs: CPU time has no
/// sampling error. It contains 1 exactly if Comparison::cpu_p_value is above 5 %. nullopt: a side
/// has fewer than kLeastTestedRuns runs, or the earlier CPU time is so uncertain that the ratio has
/// no bound.
std::optional<Interval> CpuRatioInterval(const std::vector<double>& now,
                                         const std::vector<double>& then);

}  // namespace csink::report
