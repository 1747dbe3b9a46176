#include "symbolizer/report/json/energy.h"

#include "symbolizer/report/wording/numbers.h"

namespace csink::report {

Json DeviceCountersJson(const Report& report) {
  Json list = Json::array();
  for (const DeviceReading& reading : DeviceReadings(report.profile)) {
    const DeviceCounter& row = *reading.row;
    // Rates exist only for counters that grow; minimum, average and maximum only for the others.
    const bool accumulates = (row.flags & spool::kCounterAccumulates) != 0;
    list.push_back({{"name", row.name},
                    {"units", reading.units},
                    {"host", row.host},
                    {"scope", "machine"},
                    {"accumulates", accumulates},
                    {"seconds", reading.seconds},
                    {"readings", row.readings},
                    {"value", reading.value},
                    {"per_second", accumulates ? Json(reading.average) : Json(nullptr)},
                    {"minimum", accumulates ? Json(nullptr) : Json(row.minimum * reading.scale)},
                    {"average", accumulates ? Json(nullptr) : Json(reading.average)},
                    {"maximum", accumulates ? Json(nullptr) : Json(row.maximum * reading.scale)},
                    {"machine_cpu_seconds", Seconds(row.machine_busy_ns)},
                    {"lower_bound", (row.flags & spool::kCounterIsLowerBound) != 0},
                    {"readings_failed", (row.flags & spool::kCounterFailed) != 0}});
  }
  return list;
}

Json EnergyJson(const Report& report) {
  if (!report.energy) return nullptr;
  const EnergyShares& energy = *report.energy;
  return {
      {"counter", energy.counter},
      {"joules", energy.joules},
      {"program_joules_estimate", energy.program_joules},
      {"program_cpu_share", energy.share_is_known ? Json(energy.program_share) : Json(nullptr)},
      {"by_event", report.profile.events.empty() ? Json(nullptr)
                                                 : Json(report.profile.events[energy.event].name)}};
}

Json EnergyOf(const Report& report, const std::vector<Cell>& cells) {
  // The estimate is the program's joules by the row's share of the event that was chosen
  // (docs/energy.md).
  if (!report.energy || report.energy->event >= cells.size()) return nullptr;
  return report.energy->program_joules * cells[report.energy->event].share;
}

}  // namespace csink::report
