#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "symbolizer/report/report.h"

/// File: the parts of the JSON report that not every report has: callers, call paths, marks,
/// functions of threads, what changed since an earlier run. docs/json.md is the schema.

namespace csink::report {

// Keeps the order of the documentation.
using Json = nlohmann::ordered_json;

Json CellsJson(const std::vector<Cell>& cells);
Json NamedCellsJson(const std::vector<NamedCells>& rows);
Json CallersJson(const Report& report);
Json StacksJson(const Report& report);
Json PhasesJson(const Report& report);
Json BaselineJson(const Report& report);  ///< null without one

}  // namespace csink::report
