#pragma once

#include <string>
#include <vector>

#include "symbolizer/report/tables/report.h"

/// File: the facts about a run that every format should carry besides its numbers, as lines of text
/// for comments or descriptions.

namespace csink::report {

/// "solver --grid 512; pid 4711 on node7; exit 0; 3.42 s wall, ...", one line for each event, then
/// the verdict. UTF-8 without control characters.
std::vector<std::string> FactLines(const Report& report);

/// Only the verdict; its first line begins with the grade.
std::vector<std::string> VerdictLines(const Report& report);

}  // namespace csink::report
