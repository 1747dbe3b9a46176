#pragma once

#include <vector>

#include "symbolizer/report/json/groups.h"
#include "symbolizer/report/tables/report.h"

/// File: the parts of the JSON report about devices and energy (docs/json.md, docs/energy.md).

namespace csink::report {

/// DeviceCountersJson: the device counters in J, W and so on. EnergyJson: Report::energy, or null.
/// The device counters, an array; numbers in J, W and so on instead of nJ and mW.
Json DeviceCountersJson(const Report& report);
/// Report::energy, or null without an energy counter.
/// Members: the counter, its joules, and the program's part of them.
Json EnergyJson(const Report& report);
/// The energy in joules that is attributed to a row with these cells. null if there is none.
Json EnergyOf(const Report& report, const std::vector<Cell>& cells);

}  // namespace csink::report
