#include "symbolizer/report/json/groups.h"

/// File: parallel regions of OpenMP in the JSON report. null where there is no code of OpenMP. Keys
/// are documented in docs/report.schema.json.

namespace csink::report {
namespace {

/// A part of a time, with its interval.
Json CellJson(const OpenMpCell& cell) {
  return {{"seconds", cell.seconds}, {"share", cell.share}, {"low", cell.low}, {"high", cell.high}};
}

}  // namespace

Json OpenMpJson(const Report& report) {
  if (!report.openmp) return nullptr;
  const OpenMpTables& tables = *report.openmp;
  // Seconds and shares: a share alone does not say how much a region matters.
  Json regions = Json::array();
  for (const OpenMpRegion& region : tables.regions) {
    regions.push_back({{"function", region.function},
                       {"in", region.in},
                       {"module", region.module},
                       {"file", region.file},
                       {"line", region.line},
                       {"task", region.is_task},
                       {"threads", region.threads},
                       {"seconds", region.seconds},
                       {"work", CellJson(region.work)},
                       {"barrier", CellJson(region.barrier)},
                       {"lock", CellJson(region.lock)},
                       {"runtime", CellJson(region.runtime)},
                       {"divided_seconds", region.divided_seconds},
                       {"mean_work_seconds", region.mean_work_seconds},
                       {"most_work_seconds", region.most_work_seconds},
                       {"imbalance", region.Imbalance()}});
  }
  return {{"runtimes", tables.runtimes},
          {"seconds", tables.seconds},
          {"threads", tables.threads},
          {"has_callers", tables.has_callers},
          {"has_waits", tables.has_waits},
          {"regions", std::move(regions)},
          {"idle", CellJson(tables.idle)},
          {"barrier", CellJson(tables.barrier)},
          {"barrier_or_idle", CellJson(tables.barrier_or_idle)},
          {"outside", CellJson(tables.outside)}};
}

}  // namespace csink::report
