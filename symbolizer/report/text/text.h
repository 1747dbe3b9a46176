#pragma once

#include <string>

#include "symbolizer/report/tables/report.h"
#include "symbolizer/report/text/table.h"

/// File: the text report and its sections, one source file each. Lines fit into style.width columns
/// unless a single word is longer. All text ends in a newline, and all names are made printable.

namespace csink::report {

/// The whole report: header, findings, main table, hottest lines, callers, waits, marks, threads,
/// processes, changes, verdict. With rows other than functions (style.by): header, main table,
/// changes, verdict.
std::string WriteText(const Report& report, const TextStyle& style);

/// "sort.cpp:41 (stl_algo.h:1867)": a row's line, without redundant parts of its path. For a line
/// in a library's header, the program's own line that it was inlined at comes first, if it is
/// known.
std::string LineLabel(const LineRow& row);

/// Only the main table, as style.by says (main.cpp). A sentence if there is no row.
std::string WriteMain(const Report& report, const TextStyle& style);

/// A run of less wall time, in seconds, is short: lines that are of use in long runs only are left
/// out unless TextStyle::verbose.
inline constexpr double kShortRunSeconds = 10;

/// The sections. Each begins with an empty line, or is "" if there is nothing to show.

/// The callers of the functions with most samples; the tree of call paths (callers.cpp).
std::string WriteCallers(const Report& report, const TextStyle& style);
/// The tree of call paths by total share, with style.call_tree.
std::string WriteCallTree(const Report& report, const TextStyle& style);
/// One row for each mark; one row for each thread name with its threads below (groups.cpp).
std::string WritePhases(const Report& report, const TextStyle& style);
/// Threads grouped by name, with style.per_thread.
std::string WriteThreads(const Report& report, const TextStyle& style);
/// One row for each process, children below their parents (processes.cpp).
std::string WriteProcesses(const Report& report, const TextStyle& style);
/// How the samples divide among the ranks of an MPI job: the load, the time in MPI, the functions
/// that differ, the ranks that stand out. "" with less than two ranks (ranks.cpp).
std::string WriteRanks(const Report& report, const TextStyle& style);
/// One row of block characters for each thread, with style.time_line (text/time_line.cpp).
std::string WriteTimeLine(const Report& report, const TextStyle& style);
/// What threads waited for, and the locks with their holders; "" unless it was recorded
/// (waits.cpp).
std::string WriteWaits(const Report& report, const TextStyle& style);
/// Parallel regions of OpenMP; "" if there is no code of OpenMP (text/openmp.cpp).
std::string WriteOpenMp(const Report& report, const TextStyle& style);
/// The sums of the processes of each program, if there are several programs (programs.cpp).
std::string WritePrograms(const Report& report, const TextStyle& style);
/// What changed since an earlier run (text/baseline.cpp).
std::string WriteBaseline(const Report& report, const TextStyle& style);

/// The line about threads above the verdict, without an empty line (groups.cpp).
std::string WriteThreadLine(const Report& report, const TextStyle& style);

/// Only the lines of the verdict (verdict.cpp).
std::string WriteVerdict(const Report& report, const TextStyle& style);

}  // namespace csink::report
