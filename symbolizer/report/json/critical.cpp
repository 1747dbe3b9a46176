#include "symbolizer/report/json/groups.h"

/// File: the critical path in the JSON report; null where it was not recorded. Keys are documented
/// in docs/report.schema.json.

namespace csink::report {
namespace {

const char* WordFor(critical::Forecast forecast) {
  switch (forecast) {
    case critical::Forecast::kMade:
      return "made";
    case critical::Forecast::kNoRun:
      return "no-run";
    case critical::Forecast::kFewSamples:
      return "few-samples";
    case critical::Forecast::kUnknownPath:
      return "unknown-path";
    case critical::Forecast::kReplayDiffers:
      return "replay-differs";
  }
  return "unknown";
}

double SecondsOf(std::int64_t ns) { return static_cast<double>(ns) / 1e9; }

Json SavingJson(const critical::PlaceShares& shares) {
  if (!shares.has_saving) return nullptr;
  const critical::Saving& saving = shares.saving;
  return {{"shorter", critical::AnalysisLimits::kShorter},
          {"low", saving.low},
          {"high", saving.high},
          {"path", saving.path},
          {"path_plus", saving.path_plus},
          {"dag", saving.dag},
          {"fluid", saving.fluid},
          {"delayed", saving.delayed},
          {"latency", saving.latency}};
}

}  // namespace

Json CriticalJson(const Report& report) {
  if (!report.critical) return nullptr;
  const critical::Analysis& analysis = report.critical->analysis;
  Json functions = Json::array();
  for (const CriticalRow& row : report.critical->rows) {
    const critical::PlaceShares& shares = row.shares;
    functions.push_back({{"function", row.function},
                         {"line", LineJson(row.file, row.line)},
                         {"path_share", shares.path},
                         {"path_low", shares.path_interval.low},
                         {"path_high", shares.path_interval.high},
                         {"path_total_share", shares.path_total},
                         {"cpu_share", shares.cpu},
                         {"cpu_total_share", shares.cpu_total},
                         {"saving", SavingJson(shares)}});
  }
  const critical::PathTimes& path = analysis.path;
  return {{"run_seconds", analysis.run_seconds},
          {"forecast", WordFor(analysis.forecast)},
          {"samples", analysis.samples},
          {"dropped", analysis.dropped},
          {"processors", analysis.processors},
          {"path",
           {{"work_seconds", SecondsOf(path.work)},
            {"preempted_seconds", SecondsOf(path.preempted)},
            {"woken_seconds", SecondsOf(path.woken)},
            {"sleep_seconds", SecondsOf(path.sleep)},
            {"unknown_seconds", SecondsOf(path.unknown)},
            {"inferred_seconds", SecondsOf(path.inferred)}}},
          {"crowded_share", analysis.crowded},
          {"replay",
           {{"dag_ratio", analysis.dag_ratio},
            {"fluid_ratio", analysis.fluid_ratio},
            {"delayed_ratio", analysis.delayed_ratio}}},
          {"functions", std::move(functions)}};
}

}  // namespace csink::report
