#include "symbolizer/report/json/groups.h"

#include <algorithm>
#include <cmath>

#include "profil/statistics/statistics.h"
#include "symbolizer/report/tables/derived.h"
#include "symbolizer/report/tables/topdown.h"
#include "symbolizer/report/wording/numbers.h"

/// File: the parts of the JSON report that other JSON documents use as well, and those that need
/// more than a loop over rows. Keys are documented in docs/report.schema.json.

namespace csink::report {
namespace {

/// Call paths with a smaller share are left out: they would make the report as large as the
/// profile.
constexpr double kLeastPath = 0.0001;

/// The largest share over all events.
double LargestShare(const std::vector<Cell>& cells) {
  double share = 0;
  for (const Cell& cell : cells) share = std::max(share, cell.share);
  return share;
}

}  // namespace

std::string LineJson(const std::string& file, std::uint32_t line) {
  return line == 0 ? "" : file + ":" + std::to_string(line);
}

// One element for each event, in the order of "events". `low` and `high` bound the 95 % interval of
// the share.
Json CellsJson(const std::vector<Cell>& cells) {
  Json list = Json::array();
  for (const Cell& cell : cells) {
    list.push_back({{"samples", cell.samples},
                    {"weight", cell.weight},
                    {"share", cell.share},
                    {"low", cell.low},
                    {"high", cell.high}});
  }
  return list;
}

Json NamedCellsJson(const std::vector<NamedCells>& rows) {
  Json list = Json::array();
  for (const NamedCells& row : rows) {
    list.push_back(
        {{"function", row.function}, {"module", row.module}, {"events", CellsJson(row.events)}});
  }
  return list;
}

Json CallersJson(const Report& report) {
  Json list = Json::array();
  // Functions without known callers have no element.
  for (const FunctionRow& row : report.functions) {
    if (row.callers.empty()) continue;
    list.push_back({{"function", row.function},
                    {"module", row.module},
                    {"callers", NamedCellsJson(row.callers)}});
  }
  return list;
}

Json ModulesJson(const Report& report) {
  Json list = Json::array();
  for (const ModuleRow& row : report.modules) {
    list.push_back({{"module", row.module},
                    {"module_path", row.module_path},
                    {"build_id", row.build_id},
                    {"functions", row.functions},
                    {"events", CellsJson(row.events)}});
  }
  return list;
}

// `events` are the samples of the function's code wherever it is, `inlined` the part of them in
// inlined copies.
Json InlinesJson(const Report& report) {
  Json list = Json::array();
  for (const InlineRow& row : report.inlines) {
    list.push_back({{"function", row.function},
                    {"module", row.module},
                    {"line", LineJson(row.file, row.line)},
                    {"inlined_in", row.inlined_in},
                    {"events", CellsJson(row.events)},
                    {"inlined", CellsJson(row.inlined)}});
  }
  return list;
}

Json DerivedJson(const Report& report) {
  // The cells of the whole run: all samples, so the share is 1.
  std::vector<Cell> all;
  for (const EventTotals& event : report.profile.events) {
    Cell cell;
    cell.samples = event.samples;
    cell.weight = event.weight;
    cell.share = event.weight > 0 ? 1 : 0;
    all.push_back(cell);
  }
  // The same computation as for rows, so that totals and rows agree.
  const Json values = RatiosOf(report, all);
  Json list = Json::array();
  for (std::size_t i = 0; i < report.derived.size(); ++i) {
    const DerivedColumn& column = report.derived[i];
    list.push_back({{"key", column.key},
                    {"numerator", report.profile.events[column.numerator].name},
                    {"denominator", report.profile.events[column.denominator].name},
                    {"scale", column.scale},
                    {"of_slots", PartOf(column).has_value()},
                    {"total", values[i]}});
  }
  return list;
}

Json RatiosJson(const std::vector<Ratio>& ratios, const std::vector<Interval>& intervals) {
  Json list = Json::array();
  for (std::size_t i = 0; i < ratios.size(); ++i) {
    // Unlike text, JSON keeps a ratio whose error exceeds its value: programs can judge it.
    const bool known = ratios[i].has_value();
    // JSON has no infinity.
    const bool bounded = known && std::isfinite(intervals[i].high);
    list.push_back({{"value", known ? Json(*ratios[i]) : Json(nullptr)},
                    {"low", known ? Json(intervals[i].low) : Json(nullptr)},
                    {"high", bounded ? Json(intervals[i].high) : Json(nullptr)}});
  }
  return list;
}

Json RatiosOf(const Report& report, const std::vector<Cell>& cells) {
  std::vector<Ratio> ratios;
  std::vector<Interval> intervals;
  Derive(report, cells, ratios, intervals);
  return RatiosJson(ratios, intervals);
}

Json StacksJson(const Report& report) {
  Json list = Json::array();
  const auto& nodes = report.call_tree;
  // A node is never heavier than its parent, so the parents of kept nodes are kept.
  // The node's index in the list; only set for nodes that are kept.
  std::vector<std::size_t> index(nodes.size());
  for (std::size_t i = 1; i < nodes.size(); ++i) {
    const CallNode& node = nodes[i];
    // Of any event: a path that is cold in the first event may be hot in another one.
    if (LargestShare(node.total) < kLeastPath) continue;
    index[i] = list.size();
    const NamedCells& function = report.call_functions[node.function];
    list.push_back({{"parent", node.parent == 0 ? Json(nullptr) : Json(index[node.parent])},
                    {"function", function.function},
                    {"module", function.module},
                    {"self", CellsJson(node.self)},
                    {"total", CellsJson(node.total)}});
  }
  return list;
}

// The first element is what came before the first mark.
Json PhasesJson(const Report& report) {
  Json list = Json::array();
  for (const PhaseSummary& phase : report.phases) {
    list.push_back({{"name", phase.row->name},
                    {"marks", phase.row->marks},
                    {"cpu_seconds", Seconds(phase.row->cpu_ns)},
                    {"events", CellsJson(phase.events)},
                    {"derived_intervals", RatiosOf(report, phase.events)},
                    {"functions", NamedCellsJson(phase.functions)}});
  }
  return list;
}

Json BaselineJson(const Report& report) {
  // A key that is always there is easier to read for scripts.
  if (!report.baseline) return nullptr;
  const Comparison& comparison = *report.baseline;
  const auto optional = [](const std::optional<double>& value) {
    return value ? Json(*value) : Json(nullptr);
  };
  Json functions = Json::array();
  // Shares of one run each, with their sampling error: nothing is tested.
  const double n = comparison.effective_samples;
  const double m = comparison.was_effective_samples;
  for (const ChangeRow& row : comparison.functions) {
    const double share = row.share.value_or(0);
    const double was = row.was.value_or(0);
    const Interval interval = DifferenceInterval(share, n, was, m);
    functions.push_back(
        {{"function", row.function},
         {"module", row.module},
         {"share", optional(row.share)},
         {"was", optional(row.was)},
         {"change", row.change},
         {"low", interval.low},
         {"high", interval.high},
         {"significant", row.significant},
         {"p_value", row.p_value ? Json(TwoProportionPValue(share, n, was, m)) : Json(nullptr)},
         {"adjusted_p_value", optional(row.adjusted_p_value)}});
  }
  return {{"file", comparison.baseline},
          {"command", comparison.command},
          {"event", comparison.event},
          {"effective_samples", comparison.effective_samples},
          {"was_effective_samples", comparison.was_effective_samples},
          {"cpu_seconds", comparison.cpu_seconds},
          {"was_cpu_seconds", comparison.was_cpu_seconds},
          {"ratio", optional(comparison.ratio)},
          {"functions", std::move(functions)}};
}

Json DeviceCountersJson(const Report& report) {
  Json list = Json::array();
  for (const DeviceReading& reading : DeviceReadings(report.profile)) {
    const DeviceCounter& row = *reading.row;
    // Rates exist only for counters that grow; minimum, average and maximum only for the others.
    const bool accumulates = (row.flags & spool::kCounterAccumulates) != 0;
    // All counters are of the whole machine, of all programs (docs/energy.md).
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
                    {"readings_failed", (row.flags & spool::kCounterFailed) != 0},
                    {"failed_readings", row.failed_readings},
                    {"unmeasured_seconds", Seconds(LongestUnmeasuredNs(report.profile, row))}});
  }
  return list;
}

Json EnergyJson(const Report& report) {
  if (!report.energy) return nullptr;
  const EnergyShares& energy = *report.energy;
  // Without the machine's CPU time the part is not known, although the joules are attributed as
  // if it were 1.
  return {
      {"counter", energy.counter},
      {"joules", energy.joules},
      {"program_joules_estimate", energy.program_joules},
      {"measured_part", energy.measured_part},
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
