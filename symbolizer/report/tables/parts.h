#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "symbolizer/report/tables/names.h"
#include "symbolizer/report/tables/report.h"

/// File: the steps of BuildReport, in the order in which it calls them (report.cpp). Each fills a
/// part of the Report. Parameters `function_of_place` are the result of AddFunctions.
/// Threads: one for a report.

namespace csink::report {

/// A stable sort that moves each row once: rows are large, and there may be 100,000 of them. So
/// indices are sorted, not rows. `less` compares two rows. Pointers to rows are invalid afterwards.
template <class Row, class Less>
void SortRows(std::vector<Row>& rows, Less less) {
  std::vector<std::uint32_t> order(rows.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return less(rows[a], rows[b]); });
  std::vector<Row> sorted;
  sorted.reserve(rows.size());
  for (const std::uint32_t i : order) sorted.push_back(std::move(rows[i]));
  rows = std::move(sorted);
}

/// Fills what a report says about the program: command, pid, host, end, state, times, source of the
/// samples. A profile without processes leaves the defaults. If `csink run` measured the whole tree
/// (Profile::tree), its command and times replace the sums over the spools, because those lack
/// processes without a spool.
void DescribeProgram(Report& report);

/// Fills Report::functions and lines, sorted by weight. The derived columns must exist, and callers
/// are added later (callers.h). Returns for each place (same index) the id of its function,
/// FunctionRow::id. Pointers to functions of the report are invalid after a later sort; ids remain
/// valid.
std::vector<std::uint32_t> AddFunctions(Report& report, const Names& names);

/// Fills Report::modules, sorted by weight. The function rows must exist: a module is the sum of
/// its functions.
void AddModules(Report& report);

/// Fills Report::inlines, sorted by weight: a sample belongs to the innermost function that was
/// inlined at its address, else to the function itself. Needs names that were resolved with
/// Detail::kInlines; otherwise every sample belongs to the function itself. `function_of_place` is
/// the result of AddFunctions.
void AddInlines(Report& report, const Names& names,
                const std::vector<std::uint32_t>& function_of_place);

/// Number of functions that are listed for a thread or a mark.
inline constexpr std::size_t kTopOfGroup = 10;

/// Rows for parts of the samples: processes, threads, marks, with the functions that have most
/// samples in each thread and mark.
/// Fills Report::processes, in the order of Profile::processes (by start time).
void AddProcesses(Report& report);
/// Fills Report::threads and thread_groups, sorted by weight. Threads without samples are left out.
/// The lists of functions stay empty if the profile does not divide places by thread.
void AddThreads(Report& report, const Names& names,
                const std::vector<std::uint32_t>& function_of_place);
/// Fills Report::phases, in the order of the first mark. Nothing if no mark was set.
void AddPhases(Report& report, const std::vector<std::uint32_t>& function_of_place);

/// Fills Report::ranks, and a note of the verdict if ranks are missing. The function rows must
/// exist.
void AddRanks(Report& report, const std::vector<std::uint32_t>& function_of_place);

}  // namespace csink::report
