#pragma once

#include <vector>

#include "symbolizer/report/json/groups.h"
#include "symbolizer/report/tables/report.h"

namespace csink::report {

/// Report::profile.device_counters, in J, W and the like; Report::energy, or null.
Json DeviceCountersJson(const Report& report);
Json EnergyJson(const Report& report);
/// The energy that falls to a row; null where there is none.
Json EnergyOf(const Report& report, const std::vector<Cell>& cells);

}  // namespace csink::report
