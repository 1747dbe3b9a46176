#include <array>

#include "compat/atime/numbers.h"
#include "compat/atime/report.h"

namespace csink::atime {
namespace {

constexpr std::array<APAPI_stats, APAPI_FIELDS> kStatistics = {APAPI_STAT_MIN, APAPI_STAT_MAX,
                                                               APAPI_STAT_AVG, APAPI_STAT_ACC};

/// Type, unit, last value and the requested statistics of value0 or value1; the other fields are
/// empty.
std::string Columns(const char* type, const char* unit, const std::string& last, APAPI_stats wanted,
                    const long double* values, double prefix) {
  std::string line = "," + CsvField(type) + "," + CsvField(unit) + "," + last;
  for (int i = 0; i < APAPI_FIELDS; ++i) {
    line += ",";
    if ((wanted & kStatistics[static_cast<std::size_t>(i)]) != 0) {
      line += Number(values[i] / prefix);
    }
  }
  return line;
}

/// The columns of PrintCsv's head, in its order.
std::string Line(const MeasuredComponent& measured, int event) {
  const apapi_eventset& set = measured.set();
  const apapi_event_ops& ops = set.event_ops[event];
  return CsvField(set.cmp_name) + "," + CsvField(ops.event_name) + "," + RawValue(set, event) +
         Columns(ops.value0_type, ops.value0_unit, LastValue0(set, event), ops.value0,
                 set.values0 + event * APAPI_FIELDS, ops.value0_prefix) +
         Columns(ops.value1_type, ops.value1_unit, LastValue1(set, event), ops.value1,
                 set.values1 + event * APAPI_FIELDS, ops.value1_prefix) +
         "," + std::to_string(set.count) + "," + Seconds(set.current_time - set.first_time) + "," +
         std::to_string(measured.health().missed) + "\n";
}

}  // namespace

void PrintCsv(std::FILE* out, const Measurement& measurement) {
  std::fputs(
      "component,event,raw,value0_type,value0_unit,value0_last,value0_min,value0_max,value0_avg,"
      "value0_acc,value1_type,value1_unit,value1_last,value1_min,value1_max,value1_avg,value1_acc,"
      "samples,seconds,missed\n",
      out);
  for (const auto& measured : measurement.components()) {
    for (int i = 0; i < measured->set().num_events; ++i) {
      std::fputs(Line(*measured, i).c_str(), out);
    }
  }
}

}  // namespace csink::atime
