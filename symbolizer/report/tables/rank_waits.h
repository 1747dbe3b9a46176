#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "symbolizer/report/tables/names.h"
#include "symbolizer/report/tables/ranks.h"
#include "symbolizer/report/tables/report.h"

namespace csink::report {

/// Where the main threads of the ranks of an MPI job were blocked (CSINK_WAIT), the largest mean
/// first. Empty unless there are two ranks or more and blocked threads were observed. Threads that
/// MPI starts for itself, which are blocked nearly all the time, are left out.
std::vector<RankWait> MakeRankWaits(const Report& report, const Names& names);

}  // namespace csink::report
