#include <papi.h>
#include <sys/wait.h>

#include <bit>
#include <cmath>
#include <nlohmann/json.hpp>

#include "compat/atime/energy/numbers.h"
#include "compat/atime/report.h"

/// File: the report as one JSON object. Values are divided by their factors, as in the text report;
/// what does not exist (no value yet, no exit status) is null.

namespace csink::atime {
namespace {

using Json = nlohmann::ordered_json;

/// A number; null for infinity and NaN, which JSON lacks (they occur with a factor of 0).
Json Finite(long double value) {
  const auto number = static_cast<double>(value);
  return std::isfinite(number) ? Json(number) : Json(nullptr);
}

/// The raw value as a number of its own type; 64-bit numbers are not rounded.
Json Raw(const apapi_eventset& set, int event) {
  const long long bits = set.current_counters[event];
  switch (set.event_ops[event].data_type) {
    case PAPI_DATATYPE_FP64:
      return Finite(std::bit_cast<double>(bits));
    case PAPI_DATATYPE_UINT64:
    case PAPI_DATATYPE_BIT64:
      return static_cast<unsigned long long>(bits);
    default:
      return bits;
  }
}

/// The object of value0 or value1. `last` is "" if there is no value.
Json Value(const char* type, const char* unit, double factor, const std::string& last,
           APAPI_stats wanted, const long double* values) {
  static constexpr struct {
    const char* name;
    APAPI_stats bit;
    APAPI_stats_field field;
  } kStatistics[] = {{"min", APAPI_STAT_MIN, APAPI_MIN},
                     {"max", APAPI_STAT_MAX, APAPI_MAX},
                     {"avg", APAPI_STAT_AVG, APAPI_AVG},
                     {"acc", APAPI_STAT_ACC, APAPI_ACC}};
  Json json = {{"type", type}, {"unit", unit}, {"factor", factor}};
  // The text has 15 digits, so this is the number that the other reports show.
  json["last"] = last.empty() ? Json(nullptr) : Finite(std::strtold(last.c_str(), nullptr));
  for (const auto& statistic : kStatistics) {
    if ((wanted & statistic.bit) != 0) {
      json[statistic.name] = Finite(values[statistic.field] / factor);
    }
  }
  return json;
}

/// An energy and its bounds; `high` is null if nothing bounds it.
Json Bounded(const BoundedEnergy& energy) {
  return {{"joules", Finite(energy.joules)},
          {"low", Finite(energy.low)},
          {"high", Finite(energy.high)}};
}

/// null: the event has no energy.
Json Energy(const EventEnergy* event) {
  if (!event) return nullptr;
  Json json = Bounded(event->energy);
  json["seconds"] = event->seconds;
  json["update_seconds"] = event->update_seconds;
  json["place"] = PlaceText(event->source.place);
  return json;
}

/// null: nothing that belongs into the total was measured.
Json Total(const std::optional<EnergyTotal>& total) {
  if (!total) return nullptr;
  Json json = Bounded(total->energy);
  json["watts"] = Finite(total->watts);
  json["seconds"] = total->seconds;
  json["events"] = total->names;
  json["left_out"] = Json::array();
  for (const EnergyTotal::LeftOut& event : total->left_out) {
    json["left_out"].push_back({{"name", event.name}, {"why", event.why}});
  }
  json["measured_in_part"] = total->shorter;
  return json;
}

/// An event with its values, its energy, and how completely it was read.
Json Event(const apapi_eventset& set, int i, const RunResult& result) {
  const apapi_event_ops& ops = set.event_ops[i];
  const csink_apapi_event_times times = TimesOf(set, i);
  Json json = {{"name", ops.event_name}, {"raw", Raw(set, i)}};
  json["value0"] =
      Value(ops.value0_type, ops.value0_unit, ops.value0_prefix, LastValue0(set, i, times.samples),
            ops.value0, set.values0 + i * APAPI_FIELDS);
  json["value1"] =
      Value(ops.value1_type, ops.value1_unit, ops.value1_prefix, LastValue1(set, i, times.samples),
            ops.value1, set.values1 + i * APAPI_FIELDS);
  json["energy"] = Energy(result.Find(set.cmp_name, i));
  json["samples"] = times.samples;
  json["seconds"] = static_cast<double>(MeasuredNs(set, i)) / 1e9;
  json["failed_reads"] = times.failed;
  json["counted_share"] = times.counted_share;
  json["unknown_seconds"] = static_cast<double>(LossesOf(set, i).unknown_ns) / 1e9;
  return json;
}

/// A component with all of its events.
Json Component(const MeasuredComponent& measured, const RunResult& result) {
  const apapi_eventset& set = measured.set();
  Json json = {{"name", set.cmp_name},
               {"interval_ns", measured.interval_ns()},
               {"samples", set.count},
               {"seconds", static_cast<double>(set.current_time - set.first_time) / 1e9},
               {"missed", measured.health().missed},
               {"failed_reads", measured.health().failed_reads},
               {"abandoned", measured.health().abandoned != 0},
               {"lower_bound", measured.health().lower_bound != 0},
               {"events", Json::array()}};
  for (int i = 0; i < set.num_events; ++i) json["events"].push_back(Event(set, i, result));
  return json;
}

/// The energy is null where none was measured.
Json PhaseObject(const Phase& phase) {
  Json json = {{"name", phase.name}, {"marks", phase.marks}, {"seconds", phase.seconds}};
  json["energy"] = phase.energy ? Bounded(*phase.energy) : Json(nullptr);
  // Finite: the time between two marks may be 0.
  if (phase.energy) json["energy"]["watts"] = Finite(phase.energy->joules / phase.seconds);
  return json;
}

/// The estimate of a job. What is not known is null.
Json JobObject(const JobShare& job) {
  const auto or_null = [](const std::optional<double>& value) {
    return value ? Json(*value) : Json(nullptr);
  };
  return {{"name", job.times.name},
          {"cpu_seconds", job.times.cpu_seconds},
          {"machine_cpu_seconds", job.times.machine_seconds},
          {"share", or_null(job.share)},
          {"estimated_joules", or_null(job.joules)},
          {"estimated_net_joules", or_null(job.net)},
          {"events", job.names}};
}

}  // namespace

void PrintJson(std::FILE* out, const Options& options, const Measurement& measurement,
               const RunResult& result, const std::optional<EnergyTotal>& idle) {
  const Ending& ending = result.ending;
  Json json = {{"format", "atime"}, {"version", 1}, {"command", Json::array()}};
  // Without a program the command is empty.
  for (char** word = options.program; word && *word; ++word) json["command"].push_back(*word);
  // Either an exit status or a signal; the other one is null. Both are without a program.
  const bool killed = ending.has_program && WIFSIGNALED(ending.status);
  const bool exited = ending.has_program && !killed;
  json["exit_status"] = exited ? Json(WEXITSTATUS(ending.status)) : Json(nullptr);
  json["signal"] = killed ? Json(WTERMSIG(ending.status)) : Json(nullptr);
  json["wall_seconds"] = ending.wall_seconds;
  json["user_seconds"] = ending.has_program ? Json(ending.user_seconds) : Json(nullptr);
  json["system_seconds"] = ending.has_program ? Json(ending.system_seconds) : Json(nullptr);
  json["components"] = Json::array();
  for (const auto& measured : measurement.components()) {
    json["components"].push_back(Component(*measured, result));
  }
  json["total"] = Total(result.total);
  // Keys that exist with --phases, -p, --cgroup and --idle only.
  if (options.phases) json["phases"] = Json::array();
  for (const Phase& phase : result.phases) json["phases"].push_back(PhaseObject(phase));
  if (result.job) json["job"] = JobObject(*result.job);
  if (idle) {
    json["idle"] = Bounded(idle->energy);
    json["idle"]["watts"] = Finite(idle->watts);
    json["idle"]["seconds"] = idle->seconds;
    const bool has_net = result.net && result.net->energy;
    json["net"] = has_net ? Bounded(*result.net->energy) : Json(nullptr);
  }
  // Names of programs and files may be invalid UTF-8, for which dump would throw.
  const std::string text = json.dump(2, ' ', false, Json::error_handler_t::replace);
  std::fprintf(out, "%s\n", text.c_str());
}

}  // namespace csink::atime
