#pragma once

#include <optional>

#include "profil/reading/model/profile.h"
#include "symbolizer/report/data/openmp_tables.h"
#include "symbolizer/report/tables/names.h"
#include "symbolizer/report/tables/report.h"

/// File: computes the table of parallel regions (openmp_tables.h) from a profile.

namespace csink::report {

/// The tables; nullopt if no region and no runtime of OpenMP has time. `resolve` is asked for the
/// first lines of regions. The functions of the report must be complete. Time grows with the number
/// of places times the depth of their chains where there is code of OpenMP.
std::optional<OpenMpTables> MakeOpenMp(const Report& report, const Names& names,
                                       const Resolver& resolve);

}  // namespace csink::report
