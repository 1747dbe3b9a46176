#pragma once

#include <cstdint>
#include <vector>

#include "symbolizer/report/tables/names.h"
#include "symbolizer/report/tables/report.h"

/// File: rows that stand for a part of the samples: processes, threads, marks; and the hottest
/// functions of threads and marks.

namespace csink::report {

/// How many functions a thread or a mark names.
inline constexpr std::size_t kTopOfGroup = 10;

/// `function_of_place`: as AddFunctions says. Rows of functions must be there.
void AddProcesses(Report& report);
void AddThreads(Report& report, const Names& names,
                const std::vector<std::uint32_t>& function_of_place);
void AddPhases(Report& report, const std::vector<std::uint32_t>& function_of_place);

}  // namespace csink::report
