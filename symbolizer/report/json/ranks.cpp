#include "symbolizer/report/json/groups.h"

/// File: the ranks of an MPI job, in the JSON report. Keys are documented in
/// docs/report.schema.json.

namespace csink::report {
namespace {

/// Adds the value of a rank with its interval, under names that begin with `name`.
/// "NAME_rank" is the rank that has the value.
void AddValue(Json& object, const std::string& name, const RankValue& value) {
  object[name] = value.value;
  object[name + "_low"] = value.interval.low;
  object[name + "_high"] = value.interval.high;
  object[name + "_rank"] = value.rank;
}

/// Adds the mean and the extremes of a row to an object.
Json With(Json object, const RankSpread& spread) {
  object["mean"] = spread.mean;
  object["mean_low"] = spread.mean_interval.low;
  object["mean_high"] = spread.mean_interval.high;
  AddValue(object, "min", spread.least);
  AddValue(object, "max", spread.most);
  object["imbalance"] = spread.imbalance;
  object["differs"] = spread.differs;
  return object;
}

/// The tables of one event. Values are seconds for a clock, as "unit" says, else events.
Json TableJson(const RankTable& table, const EventTotals& event) {
  Json functions = Json::array();
  for (const RankFunction& row : table.functions) {
    functions.push_back(With({{"function", row.function},
                              {"module", row.module},
                              {"in_mpi", row.in_mpi},
                              {"samples", row.samples}},
                             row.spread));
  }
  Json outliers = Json::array();
  for (const RankOutlier& row : table.outliers) {
    outliers.push_back({{"rank", row.value.rank},
                        {"function", row.function.empty() ? Json(nullptr) : Json(row.function)},
                        {"module", row.module},
                        {"value", row.value.value},
                        {"low", row.value.interval.low},
                        {"high", row.value.interval.high},
                        {"median", row.median}});
  }
  // Of samples. Time that MPI is blocked is in the part "waits".
  Json mpi = {{"share", table.mpi_share},
              {"low", table.mpi_interval.low},
              {"high", table.mpi_interval.high}};
  AddValue(mpi, "min", table.mpi_least);
  AddValue(mpi, "max", table.mpi_most);
  return {{"event", event.name},
          {"unit", event.kind == EventClass::kClock ? "seconds" : "events"},
          {"total", With(Json::object(), table.total)},
          {"mpi", std::move(mpi)},
          {"functions", std::move(functions)},
          {"outliers", std::move(outliers)}};
}

/// A part of the wall time. It is counted and not sampled, so that it has no interval.
Json PartJson(const RankPart& part) {
  return {{"mean", part.mean},
          {"min", part.least.value},
          {"min_rank", part.least.rank},
          {"max", part.most.value},
          {"max_rank", part.most.rank}};
}

/// null where the times of a rank are not known.
Json WallJson(const std::optional<RankWall>& wall) {
  if (!wall) return nullptr;
  return {{"running", PartJson(wall->running)},
          {"waiting", PartJson(wall->waiting)},
          {"blocked", PartJson(wall->blocked)}};
}

/// What the main threads waited for; empty if it was not observed.
Json WaitsJson(const std::vector<RankWait>& waits) {
  Json list = Json::array();
  for (const RankWait& wait : waits) {
    Json row = {{"function", wait.function},
                {"primitive", wait.primitive},
                {"in_mpi", wait.in_mpi},
                {"looks", wait.looks},
                {"mean", wait.mean}};
    AddValue(row, "min", wait.least);
    AddValue(row, "max", wait.most);
    list.push_back(std::move(row));
  }
  return list;
}

}  // namespace

Json RanksJson(const Report& report) {
  if (report.ranks.events.empty()) return nullptr;
  Json events = Json::array();
  // One table for each event of the profile, in its order.
  for (std::size_t i = 0; i < report.ranks.events.size(); ++i) {
    events.push_back(TableJson(report.ranks.events[i], report.profile.events[i]));
  }
  return {{"count", report.ranks.ranks},
          {"wall", WallJson(report.ranks.wall)},
          {"events", std::move(events)},
          {"waits", WaitsJson(report.ranks.waits)}};
}

}  // namespace csink::report
