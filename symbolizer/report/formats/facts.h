#pragma once

#include <string>
#include <vector>

#include "symbolizer/report/tables/report.h"

/// File: what every format tells beside its numbers, as lines: where a format has room for words
/// (comments, descriptions) these are the words.

namespace csink::report {

/// "solver --grid 512; pid 4711 on node7; exit 0; 3.42 s wall, ...", one line an event, then the
/// verdict. UTF-8, no control characters.
std::vector<std::string> FactLines(const Report& report);

/// The verdict alone; its first line begins with the grade.
std::vector<std::string> VerdictLines(const Report& report);

}  // namespace csink::report
