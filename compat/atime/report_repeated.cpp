#include <cmath>
#include <nlohmann/json.hpp>

#include "compat/atime/energy/numbers.h"
#include "compat/atime/report.h"

/// File: the reports of several runs (-r): the mean of each number with its 95 % interval.

namespace csink::atime {
namespace {

using Json = nlohmann::ordered_json;

/// A number; null for infinity and NaN, which JSON lacks. The interval of one run is infinite.
Json Finite(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

/// The name of a metric as one text: "rapl:::PACKAGE_ENERGY:PACKAGE0 energy acc".
std::string NameOf(const Metric& metric) {
  if (metric.component == "run") return metric.name + " time";
  return metric.name + " " + metric.type + " " + metric.statistic;
}

/// An energy and its bounds; null: there is none.
Json Bounded(const std::optional<BoundedEnergy>& energy) {
  if (!energy) return nullptr;
  return {{"joules", energy->joules}, {"low", Finite(energy->low)}, {"high", Finite(energy->high)}};
}

/// The times and the energy of one run. The events are in the statistics only.
Json Run(const RunResult& run) {
  Json json = {{"exit_status", run.ending.ExitStatus()},
               {"wall_seconds", run.ending.wall_seconds},
               {"user_seconds", run.ending.user_seconds},
               {"system_seconds", run.ending.system_seconds}};
  json["total"] = run.total ? Bounded(run.total->energy) : Json(nullptr);
  json["net"] = run.net ? Bounded(run.net->energy) : Json(nullptr);
  return json;
}

}  // namespace

void PrintRepeatedText(std::FILE* out, const std::vector<RunResult>& runs) {
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const RunResult& run = runs[i];
    std::fprintf(out, "ATIME: run %zu: status %d, %s s", i + 1, run.ending.ExitStatus(),
                 ShortNumber(run.ending.wall_seconds).c_str());
    // Runs without a total are listed, too: the reader sees which run lacks it.
    if (run.total) {
      const BoundedEnergy& energy = run.total->energy;
      std::fprintf(out, ", total %s", Joules(energy).c_str());
    }
    if (run.job && run.job->joules) {
      std::fprintf(out, ", %s %s J (estimate)", run.job->times.name.c_str(),
                   ShortNumber(*run.job->joules).c_str());
    }
    std::fputs("\n", out);
  }
  std::fprintf(out, "ATIME: mean of %zu runs, and its 95 %% interval\n", runs.size());
  for (const RepeatedMetric& m : Repeated(runs)) {
    // Student's interval needs two runs.
    const std::string interval =
        std::isinf(m.high) ? "one run" : ShortNumber(m.low) + " to " + ShortNumber(m.high);
    std::fprintf(out, "ATIME: %s: %s %s (%s), min %s, max %s, %zu runs\n", NameOf(m.metric).c_str(),
                 ShortNumber(m.metric.value).c_str(), m.metric.unit.c_str(), interval.c_str(),
                 ShortNumber(m.minimum).c_str(), ShortNumber(m.maximum).c_str(), m.runs);
  }
  // The last lines of upstream's report.
  std::fputs("ATIME: papi stop\nATIME: done\n", out);
}

void PrintRepeatedCsv(std::FILE* out, const std::vector<RunResult>& runs) {
  std::fputs("component,event,type,unit,statistic,runs,mean,low,high,min,max,deviation\n", out);
  for (const RepeatedMetric& m : Repeated(runs)) {
    // One run has no interval: these fields are then empty.
    const bool has_interval = std::isfinite(m.high);
    const std::string line = CsvField(m.metric.component) + "," + CsvField(m.metric.name) + "," +
                             CsvField(m.metric.type) + "," + CsvField(m.metric.unit) + "," +
                             m.metric.statistic + "," + std::to_string(m.runs) + "," +
                             Number(m.metric.value) + "," + (has_interval ? Number(m.low) : "") +
                             "," + (has_interval ? Number(m.high) : "") + "," + Number(m.minimum) +
                             "," + Number(m.maximum) + "," +
                             (has_interval ? Number(m.deviation) : "") + "\n";
    std::fputs(line.c_str(), out);
  }
}

void PrintRepeatedJson(std::FILE* out, const Options& options, const std::vector<RunResult>& runs,
                       const std::optional<EnergyTotal>& idle) {
  Json json = {{"format", "atime"}, {"version", 1}, {"command", Json::array()}};
  for (char** word = options.program; *word; ++word) json["command"].push_back(*word);
  json["idle"] = idle ? Bounded(idle->energy) : Json(nullptr);
  if (idle) json["idle"]["watts"] = Finite(idle->watts);
  json["runs"] = Json::array();
  for (const RunResult& run : runs) json["runs"].push_back(Run(run));
  // The same rows as those of the CSV, under the names of its columns.
  json["statistics"] = Json::array();
  for (const RepeatedMetric& m : Repeated(runs)) {
    json["statistics"].push_back({{"component", m.metric.component},
                                  {"event", m.metric.name},
                                  {"type", m.metric.type},
                                  {"unit", m.metric.unit},
                                  {"statistic", m.metric.statistic},
                                  {"runs", m.runs},
                                  {"mean", m.metric.value},
                                  {"low", Finite(m.low)},
                                  {"high", Finite(m.high)},
                                  {"min", m.minimum},
                                  {"max", m.maximum},
                                  {"deviation", m.deviation}});
  }
  const std::string text = json.dump(2, ' ', false, Json::error_handler_t::replace);
  std::fprintf(out, "%s\n", text.c_str());
}

}  // namespace csink::atime
