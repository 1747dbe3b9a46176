#pragma once

#include <cstdint>
#include <vector>

#include "symbolizer/report/tables/names.h"
#include "symbolizer/report/tables/report.h"

/// File: from sampled places to the rows of functions and lines.

namespace csink::report {

/// Fills functions and lines, hottest first; needs the derived columns. Returns the id of each
/// place's function, by the index of the place.
std::vector<std::uint32_t> AddFunctions(Report& report, const Names& names);

}  // namespace csink::report
