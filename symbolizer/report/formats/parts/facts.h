#pragma once

#include <string>
#include <vector>

#include "symbolizer/report/tables/report.h"

/// File: the facts about a run that every format should carry besides its numbers, as lines of text
/// for comments or descriptions.

namespace csink::report {

/// "csink: solver --grid 512; pid 4711 on node7; exit 0; 3.42 s wall, ...", one line for each
/// event, then the verdict. UTF-8 without control characters, so that a line stays one line of a
/// comment.
std::vector<std::string> FactLines(const Report& report);

/// Only the verdict, one element for each of its lines; the first line begins with the grade. Lines
/// are not wrapped.
std::vector<std::string> VerdictLines(const Report& report);

}  // namespace csink::report
