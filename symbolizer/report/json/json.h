#pragma once

#include <string>

#include "symbolizer/report/tables/report.h"

namespace csink::report {

/// The report for programs: docs/json.md is the schema. Nothing is left out for
/// space: all functions, lines and threads. Ends in a newline. Text that is not
/// UTF-8 is repaired with U+FFFD.
std::string WriteJson(const Report& report);

}  // namespace csink::report
