#pragma once

#include "profil/critical/moments.h"
#include "symbolizer/report/data/critical_table.h"
#include "symbolizer/report/tables/report.h"

namespace csink::report {

/// The critical path of a log whose places are FunctionRow::id. Rows of functions that the report
/// does not have get no name and are left out. Time: see CriticalModel.
CriticalTable CriticalOf(const Report& report, critical::RawLog log);

}  // namespace csink::report
