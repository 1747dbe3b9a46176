#pragma once

#include <vector>

#include "symbolizer/report/json/groups.h"
#include "symbolizer/report/tables/report.h"

namespace csink::report {

/// DeviceCountersJson: the device counters in J, W and so on. EnergyJson: Report::energy, or null.
Json DeviceCountersJson(const Report& report);
Json EnergyJson(const Report& report);
/// The energy that is attributed to a row; null if there is none.
Json EnergyOf(const Report& report, const std::vector<Cell>& cells);

}  // namespace csink::report
