#pragma once

#include <cstdint>
#include <vector>

#include "symbolizer/report/tables/names.h"
#include "symbolizer/report/tables/report.h"

/// File: rows that group the samples by file, and by the function whose code it is.

namespace csink::report {

/// Fills modules, hottest first. Rows of functions must be there.
void AddModules(Report& report);

/// Fills inlines, hottest first: a sample belongs to the innermost function that was inlined
/// where it lies, else to the function itself. `function_of_place`: as AddFunctions says.
void AddInlines(Report& report, const Names& names,
                const std::vector<std::uint32_t>& function_of_place);

}  // namespace csink::report
