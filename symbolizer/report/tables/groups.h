#pragma once

#include <cstdint>
#include <vector>

#include "symbolizer/report/tables/names.h"
#include "symbolizer/report/tables/report.h"

/// File: rows for parts of the samples (processes, threads, marks), and the functions with most
/// samples in each thread and mark.

namespace csink::report {

/// Number of functions that are listed for a thread or a mark.
inline constexpr std::size_t kTopOfGroup = 10;

/// `function_of_place` is the result of AddFunctions, which must run first.
void AddProcesses(Report& report);
void AddThreads(Report& report, const Names& names,
                const std::vector<std::uint32_t>& function_of_place);
void AddPhases(Report& report, const std::vector<std::uint32_t>& function_of_place);

}  // namespace csink::report
