#pragma once

#include <string>

#include "symbolizer/report/report.h"
#include "symbolizer/report/table.h"

namespace csink::report {

/// The report as people read it: header, functions, hottest lines, callers,
/// marks, threads, processes, what changed, verdict. Within style.width columns unless a single
/// word is longer.
std::string WriteText(const Report& report, const TextStyle& style);

/// The main table alone: style.by (text_main.cpp).
std::string WriteMain(const Report& report, const TextStyle& style);

/// Sections that begin with an empty line; "" where there is nothing to say.

/// Who called the hottest functions; the tree of call paths (text_callers.cpp).
std::string WriteCallers(const Report& report, const TextStyle& style);
std::string WriteCallTree(const Report& report, const TextStyle& style);
/// A row a mark; a row a thread's name and, below it, its threads (text_groups.cpp).
std::string WritePhases(const Report& report, const TextStyle& style);
std::string WriteThreads(const Report& report, const TextStyle& style);
/// A row a process, children below their parents (text_processes.cpp).
std::string WriteProcesses(const Report& report, const TextStyle& style);
/// What changed since an earlier run (text_baseline.cpp).
std::string WriteBaseline(const Report& report, const TextStyle& style);

/// The line of threads that stands above the verdict, without an empty one (text_groups.cpp).
std::string WriteThreadLine(const Report& report, const TextStyle& style);

/// The verdict's lines alone (text_verdict.cpp).
std::string WriteVerdict(const Report& report, const TextStyle& style);

}  // namespace csink::report
