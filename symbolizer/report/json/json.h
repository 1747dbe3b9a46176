#pragma once

#include <string>

#include "symbolizer/report/tables/report.h"

/// File: the JSON report as text. groups.h has the same as a JSON value.

namespace csink::report {

/// Writes the report as JSON; docs/report.schema.json is the schema. Contains all functions, lines
/// and threads, whatever a text report would leave out, and numbers with all digits. Ends in a
/// newline. Bytes that are not UTF-8 become U+FFFD. The whole text is in memory.
std::string WriteJson(const Report& report);

}  // namespace csink::report
