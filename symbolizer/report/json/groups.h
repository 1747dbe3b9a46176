#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "symbolizer/report/tables/report.h"
#include "symbolizer/report/tables/time_line.h"

/// File: parts of the JSON report: modules, inlined functions, ratios, callers, call paths, marks,
/// functions of threads, devices, energy, and changes since an earlier run. docs/report.schema.json
/// is the schema.

namespace csink::report {

/// The project's JSON type. Ordered, so that members have the order of the documentation.
using Json = nlohmann::ordered_json;

/// The whole report (json.cpp).
Json ReportJson(const Report& report);

/// The report without its tables of code, threads and marks: what is small in every profile. The
/// keys and their order are those of the whole report.
Json ReportHeadJson(const Report& report);

/// "FILE:12" with the folders of the file; "" if no line is known.
std::string LineJson(const std::string& file, std::uint32_t line);
/// An array with one object for each event: samples, weight, share, low, high.
Json CellsJson(const std::vector<Cell>& cells);
/// An array of functions with their cells.
Json NamedCellsJson(const std::vector<NamedCells>& rows);
/// All modules with samples.
Json ModulesJson(const Report& report);
/// Functions by their own code. Empty unless the report was built with inlines.
Json InlinesJson(const Report& report);
/// The derived columns, with their values for the whole run.
Json DerivedJson(const Report& report);
/// Values and intervals of one row. null for a ratio that is not known, and for an infinite bound.
Json RatiosJson(const std::vector<Ratio>& ratios, const std::vector<Interval>& intervals);
/// The same of one row, computed from its cells, one element for each derived column.
Json RatiosOf(const Report& report, const std::vector<Cell>& cells);
/// Direct callers of the functions that have any.
Json CallersJson(const Report& report);
/// The tree of call paths without paths below 0.01 % of every event. `parent` is an index into this
/// array; null for the beginning of a stack.
Json StacksJson(const Report& report);
/// One object for each mark.
Json PhasesJson(const Report& report);
/// The time line; null where no spool has one. Rows in the order of `line`.
Json TimeLineJson(const Report& report, const TimeLine& line);
/// How the samples divide among the ranks of an MPI job; null with less than two ranks (ranks.cpp).
Json RanksJson(const Report& report);
/// The account of CPU time (ledger.cpp).
Json LedgerJson(const Ledger& ledger);
/// What changed since an earlier run; null without one.
Json BaselineJson(const Report& report);

/// What holds the run up; null if it was not recorded (critical.cpp).
Json CriticalJson(const Report& report);
/// What threads waited for, by group of threads; null if it was not recorded (waits.cpp).
Json WaitsJson(const Report& report);
Json RunFactsJson(const Report& report);
/// The locks that threads waited for; empty if it was not recorded.
Json LocksJson(const Report& report);

/// Parallel regions of OpenMP (openmp.cpp); null without code of OpenMP.
Json OpenMpJson(const Report& report);

/// The device counters, an array; numbers in J, W and so on instead of nJ and mW.
Json DeviceCountersJson(const Report& report);
/// Report::energy (docs/energy.md): the counter, its joules, and the program's part of them. null
/// without an energy counter.
Json EnergyJson(const Report& report);
/// The energy in joules that is attributed to a row with these cells. null if there is none.
Json EnergyOf(const Report& report, const std::vector<Cell>& cells);

}  // namespace csink::report
