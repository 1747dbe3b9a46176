#pragma once

#include <cstdint>
#include <vector>

#include "symbolizer/report/tables/names.h"
#include "symbolizer/report/tables/report.h"

/// File: makes the rows of functions and lines from the sampled places.

namespace csink::report {

/// Fills Report::functions and lines, sorted by weight. The derived columns must exist, and callers
/// are added later (callers.h). Returns for each place (same index) the id of its function,
/// FunctionRow::id. Pointers to functions of the report are invalid after a later sort; ids remain
/// valid.
std::vector<std::uint32_t> AddFunctions(Report& report, const Names& names);

}  // namespace csink::report
