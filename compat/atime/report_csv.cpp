#include <array>
#include <cmath>

#include "compat/atime/energy/numbers.h"
#include "compat/atime/report.h"

/// File: the CSV report. Every line has all columns, also those of phases, sums and jobs; what a
/// line does not have is empty.

namespace csink::atime {
namespace {

// In the order of APAPI_stats_field, by which the values of a set are stored.
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

/// The joules and their bounds; empty: there is no energy, or no upper bound.
std::string EnergyColumns(const BoundedEnergy* energy) {
  if (!energy) return ",,,";
  return "," + Number(energy->joules) + "," + Number(energy->low) + "," +
         (std::isinf(energy->high) ? "" : Number(energy->high));
}

/// The columns of PrintCsv's head, in its order.
std::string Line(const MeasuredComponent& measured, int event, const RunResult& result) {
  const EventEnergy* energy = result.Find(measured.set().cmp_name, event);
  const apapi_eventset& set = measured.set();
  const apapi_event_ops& ops = set.event_ops[event];
  const csink_apapi_event_times times = TimesOf(set, event);
  return CsvField(set.cmp_name) + "," + CsvField(ops.event_name) + "," + RawValue(set, event) +
         Columns(ops.value0_type, ops.value0_unit, LastValue0(set, event, times.samples),
                 ops.value0, set.values0 + event * APAPI_FIELDS, ops.value0_prefix) +
         Columns(ops.value1_type, ops.value1_unit, LastValue1(set, event, times.samples),
                 ops.value1, set.values1 + event * APAPI_FIELDS, ops.value1_prefix) +
         "," + std::to_string(times.samples) + "," + Seconds(MeasuredNs(set, event)) + "," +
         std::to_string(measured.health().missed) +
         EnergyColumns(energy ? &energy->energy : nullptr) + "," + std::to_string(times.failed) +
         "," + Number(times.counted_share) + "," + Seconds(LossesOf(set, event).unknown_ns) + "\n";
}

/// The line of an energy that is no event's: the columns that only events have are empty.
std::string SumLine(const char* name, const BoundedEnergy& energy, double watts, double seconds) {
  return std::string("total,") + name + ",,energy,Ws,,,,," + Number(energy.joules) +
         ",power,W,,,," + Number(watts) + ",,," + Number(seconds) + "," + EnergyColumns(&energy) +
         ",,,\n";
}

/// The estimate of the job's energy, which has no bounds, and its share of the CPU time.
std::string JobLine(const JobShare& job) {
  return "job," + CsvField(job.times.name) + ",,energy,Ws,,,,," + Number(*job.joules) +
         ",share,CPU,,,," + Number(*job.share) + ",,," + Number(job.times.cpu_seconds) + ",," +
         Number(*job.joules) + ",,,,,\n";
}

/// A phase; without an energy those columns are empty.
std::string PhaseLine(const Phase& phase) {
  const BoundedEnergy* energy = phase.energy ? &*phase.energy : nullptr;
  const bool has_power = energy && phase.seconds > 0;
  return "phase," + CsvField(phase.marks ? phase.name : kBeforeMarks) + ",,energy,Ws,,,,," +
         (energy ? Number(energy->joules) : "") + ",power,W,,,," +
         (has_power ? Number(energy->joules / phase.seconds) : "") + ",,," + Number(phase.seconds) +
         "," + EnergyColumns(energy) + ",,,\n";
}

}  // namespace

void PrintCsv(std::FILE* out, const Measurement& measurement, const RunResult& result,
              const std::optional<EnergyTotal>& idle) {
  std::fputs(
      "component,event,raw,value0_type,value0_unit,value0_last,value0_min,value0_max,value0_avg,"
      "value0_acc,value1_type,value1_unit,value1_last,value1_min,value1_max,value1_avg,value1_acc,"
      "samples,seconds,missed,energy_J,energy_low_J,energy_high_J,failed_reads,counted_share,"
      "unknown_seconds\n",
      out);
  for (const auto& measured : measurement.components()) {
    for (int i = 0; i < measured->set().num_events; ++i) {
      std::fputs(Line(*measured, i, result).c_str(), out);
    }
  }
  // Phases, sums and the job stand behind the events.
  for (const Phase& phase : result.phases) std::fputs(PhaseLine(phase).c_str(), out);
  if (idle) {
    std::fputs(SumLine("idle", idle->energy, idle->watts, idle->seconds).c_str(), out);
  }
  // Without an estimate of the energy the line would have nothing to show.
  if (result.job && result.job->joules) std::fputs(JobLine(*result.job).c_str(), out);
  // Without a total there is no net energy either.
  if (!result.total) return;
  const double seconds = result.total->seconds;
  std::fputs(SumLine("total", result.total->energy, result.total->watts, seconds).c_str(), out);
  if (result.net && result.net->energy) {
    const BoundedEnergy& net = *result.net->energy;
    std::fputs(SumLine("net", net, net.joules / seconds, seconds).c_str(), out);
  }
}

}  // namespace csink::atime
