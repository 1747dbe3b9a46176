#pragma once

#include <string>

#include "symbolizer/report/report.h"
#include "symbolizer/report/table.h"

namespace csink::report {

/// The report as people read it: header, functions, hottest lines, processes,
/// threads, verdict. Within style.width columns unless a single word is longer.
std::string WriteText(const Report& report, const TextStyle& style);

/// The table of functions alone (text_functions.cpp).
std::string WriteFunctions(const Report& report, const TextStyle& style);

/// The verdict's lines alone (text_verdict.cpp).
std::string WriteVerdict(const Report& report, const TextStyle& style);

}  // namespace csink::report
