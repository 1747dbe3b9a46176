#include "compat/papi/highlevel/region_report.h"

#include <vector>

#include "compat/papi/events/component_table.h"
#include "compat/papi/highlevel/json_text.h"
#include "compat/papi/highlevel/region_recorder.h"

namespace csink::papi {
namespace {

/// "7.0.0.0": the four bytes of PAPI_VERSION.
std::string Version() {
  std::string text;
  for (int shift = 24; shift >= 0; shift -= 8) {
    text += std::to_string((PAPI_VERSION >> shift) & 0xff) + (shift == 0 ? "" : ".");
  }
  return text;
}

/// The fields of PAPI's report in its order.
void WriteMachine(JsonText& json) {
  const PAPI_hw_info_t* machine = PAPI_get_hardware_info();
  json.Item("papi_version", Version());
  json.Item("cpu_info", machine ? machine->model_string : "");
  json.Item("max_cpu_rate_mhz", machine ? machine->cpu_max_mhz : 0);
  json.Item("min_cpu_rate_mhz", machine ? machine->cpu_min_mhz : 0);
}

/// Writes the event definitions. Returns the names of the numbers of a row.
std::vector<std::string> WriteEvents(const RegionPlan& plan, JsonText& json) {
  std::vector<std::string> columns = {"cycles", "real_time_nsec"};
  json.Open("event_definitions");
  for (const RegionGroup& group : plan.groups) {
    const Component* component = Components().At(group.component);
    for (const RegionEvent& event : group.events) {
      json.Open(event.name);
      json.Item("component", component ? component->name() : "");
      const char* const type = event.value == RegionValue::kInstant   ? "instant"
                               : event.value == RegionValue::kAverage ? "region-average"
                                                                      : "delta";
      json.Item("type", type);
      json.Close();
      columns.push_back(event.name);
    }
  }
  json.Close();
  return columns;
}

void WriteRegion(unsigned id, const Region& region, const std::vector<std::string>& columns,
                 JsonText& json) {
  json.Open(std::to_string(id));
  json.Item("name", region.name);
  json.Item("parent_region_id", region.parent);
  // PAPI writes a plain value for a region without PAPI_hl_read, otherwise an object.
  const std::size_t reads = region.reads.size() / columns.size();
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (reads == 0) {
      json.Item(columns[i], region.values[i]);
      continue;
    }
    json.Open(columns[i]);
    json.Item("region_value", region.values[i]);
    for (std::size_t r = 0; r < reads; ++r) {
      json.Item("read_" + std::to_string(r + 1), region.reads[r * columns.size() + i]);
    }
    json.Close();
  }
  json.Close();
}

}  // namespace

RegionReport WriteRegionReport(const RegionRecorder& recorder) {
  RegionReport report;
  JsonText json;
  WriteMachine(json);
  const std::vector<std::string> columns = WriteEvents(recorder.plan(), json);
  json.Open("threads");
  // Numbers, not ids: an id may be that of an earlier thread of the process.
  unsigned thread = 0;
  recorder.ForEachLog([&](const RegionLog& log) {
    unsigned ended = 0;
    log.ForEachEnded([&](unsigned id, const Region& region) {
      // Threads without a region that ended are left out and get no number.
      if (ended++ == 0) {
        json.Open(std::to_string(thread++));
        json.Open("regions");
      }
      WriteRegion(id, region, columns, json);
    });
    report.ended += ended;
    // Other threads may begin and end regions meanwhile; such a region may be counted as not ended.
    report.unended += log.count() - std::min(ended, log.count());
    if (ended == 0) return;
    json.Close();
    json.Close();
  });
  report.text = json.Finish();
  return report;
}

}  // namespace csink::papi
