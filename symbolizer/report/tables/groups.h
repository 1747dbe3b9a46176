#pragma once

#include <cstdint>
#include <vector>

#include "symbolizer/report/tables/names.h"
#include "symbolizer/report/tables/report.h"

/// File: rows for parts of the samples (processes, threads, marks), and the functions with most
/// samples in each thread and mark. Parameters `function_of_place` are the result of AddFunctions,
/// which must run first.

namespace csink::report {

/// Number of functions that are listed for a thread or a mark.
inline constexpr std::size_t kTopOfGroup = 10;

/// Fills Report::processes, in the order of Profile::processes (by start time).
void AddProcesses(Report& report);
/// Fills Report::threads and thread_groups, sorted by weight. Threads without samples are left out.
/// The lists of functions stay empty if the profile does not divide places by thread.
void AddThreads(Report& report, const Names& names,
                const std::vector<std::uint32_t>& function_of_place);
/// Fills Report::phases, in the order of the first mark. Nothing if no mark was set.
void AddPhases(Report& report, const std::vector<std::uint32_t>& function_of_place);

}  // namespace csink::report
