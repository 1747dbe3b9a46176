#pragma once

#include <string>

#include "symbolizer/report/tables/report.h"
#include "symbolizer/report/text/table.h"

namespace csink::report {

/// The report as people read it: header, functions, hottest lines, callers,
/// marks, threads, processes, what changed, verdict. Within style.width columns unless a single
/// word is longer.
std::string WriteText(const Report& report, const TextStyle& style);

/// The main table alone: style.by (text/main.cpp).
std::string WriteMain(const Report& report, const TextStyle& style);

/// Sections that begin with an empty line; "" where there is nothing to say.

/// Who called the hottest functions; the tree of call paths (text/callers.cpp).
std::string WriteCallers(const Report& report, const TextStyle& style);
std::string WriteCallTree(const Report& report, const TextStyle& style);
/// A row a mark; a row a thread's name and, below it, its threads (text/groups.cpp).
std::string WritePhases(const Report& report, const TextStyle& style);
std::string WriteThreads(const Report& report, const TextStyle& style);
/// A row a process, children below their parents (text/processes.cpp).
std::string WriteProcesses(const Report& report, const TextStyle& style);
/// What changed since an earlier run (text/baseline.cpp).
std::string WriteBaseline(const Report& report, const TextStyle& style);

/// The line of threads that stands above the verdict, without an empty one (text/groups.cpp).
std::string WriteThreadLine(const Report& report, const TextStyle& style);

/// The verdict's lines alone (text/verdict.cpp).
std::string WriteVerdict(const Report& report, const TextStyle& style);

}  // namespace csink::report
