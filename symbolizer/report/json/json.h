#pragma once

#include <string>

#include "symbolizer/report/tables/report.h"

namespace csink::report {

/// Writes the report as JSON; docs/json.md is the schema. Contains all functions, lines and
/// threads. Ends in a newline. Bytes that are not UTF-8 become U+FFFD.
std::string WriteJson(const Report& report);

}  // namespace csink::report
