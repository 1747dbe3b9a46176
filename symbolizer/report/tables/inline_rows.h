#pragma once

#include <cstdint>
#include <vector>

#include "symbolizer/report/tables/names.h"
#include "symbolizer/report/tables/report.h"

/// File: groups the samples by file, and by the function whose source code was executed.

namespace csink::report {

/// Fills Report::modules, sorted by weight. The function rows must exist: a module is the sum of
/// its functions.
void AddModules(Report& report);

/// Fills Report::inlines, sorted by weight: a sample belongs to the innermost function that was
/// inlined at its address, else to the function itself. Needs names that were resolved with
/// Detail::kInlines; otherwise every sample belongs to the function itself. `function_of_place` is
/// the result of AddFunctions.
void AddInlines(Report& report, const Names& names,
                const std::vector<std::uint32_t>& function_of_place);

}  // namespace csink::report
