#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "symbolizer/report/tables/report.h"

/// File: parts of the JSON report: modules, inlined functions, ratios, callers, call paths, marks,
/// functions of threads, and changes since an earlier run. docs/json.md is the schema.

namespace csink::report {

// Ordered, so that members have the order of the documentation.
using Json = nlohmann::ordered_json;

/// The whole report (json.cpp).
Json ReportJson(const Report& report);

Json CellsJson(const std::vector<Cell>& cells);
Json NamedCellsJson(const std::vector<NamedCells>& rows);
Json ModulesJson(const Report& report);
Json InlinesJson(const Report& report);
Json DerivedJson(
    const Report& report);  ///< The derived columns, with what they are of the whole run
Json RatiosJson(const std::vector<Ratio>& ratios, const std::vector<Interval>& intervals);
Json CallersJson(const Report& report);
Json StacksJson(const Report& report);
Json PhasesJson(const Report& report);
Json BaselineJson(const Report& report);  ///< null without one

}  // namespace csink::report
