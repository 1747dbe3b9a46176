#include "compat/atime/run_result.h"

#include <algorithm>
#include <cmath>

#include "compat/atime/energy/numbers.h"
#include "compat/atime/measurement.h"
#include "profil/statistics/hypothesis.h"

/// File: what a run gave, as a list of named numbers, so that repeated runs are summarised without
/// knowing what the numbers are.

namespace csink::atime {
namespace {

/// Adds the kept sum and mean of value0 or value1 of an event.
void AddStatistics(std::vector<Metric>& metrics, Metric metric, APAPI_stats kept,
                   const long double* values, double prefix) {
  constexpr struct {
    APAPI_stats bit;
    APAPI_stats_field field;
    const char* name;
  } kStatistics[] = {{APAPI_STAT_ACC, APAPI_ACC, "acc"}, {APAPI_STAT_AVG, APAPI_AVG, "avg"}};
  for (const auto& statistic : kStatistics) {
    if ((kept & statistic.bit) == 0) continue;
    metric.statistic = statistic.name;
    metric.value = static_cast<double>(values[statistic.field] / prefix);
    metrics.push_back(metric);
  }
}

/// As for the total (EnergyTotal::shorter).
bool MeasuredAllOf(const csink_apapi_event_times& times, long long set_ns) {
  return static_cast<double>(times.last_time - times.first_time) >=
         0.95 * static_cast<double>(set_ns);
}

/// The numbers of all events of a component that were measured for the whole run.
void AddEvents(std::vector<Metric>& metrics, const apapi_eventset& set) {
  const long long set_ns = set.current_time - set.first_time;
  for (int i = 0; i < set.num_events; ++i) {
    const csink_apapi_event_times times = TimesOf(set, i);
    // Statistics begin with the second sample; before, all are 0. An event of a card that was lost
    // has values of a part of the run.
    if (times.samples < 2 || !MeasuredAllOf(times, set_ns)) continue;
    const apapi_event_ops& ops = set.event_ops[i];
    Metric metric = {set.cmp_name, ops.event_name, ops.value0_type, ops.value0_unit, "", 0};
    AddStatistics(metrics, metric, ops.value0, set.values0 + i * APAPI_FIELDS, ops.value0_prefix);
    metric.type = ops.value1_type;
    metric.unit = ops.value1_unit;
    AddStatistics(metrics, metric, ops.value1, set.values1 + i * APAPI_FIELDS, ops.value1_prefix);
  }
}

/// The estimate of a job, and what it is made of.
void AddJob(std::vector<Metric>& metrics, const JobShare& job) {
  metrics.push_back({"job", "job", "time", "s", "acc", job.times.cpu_seconds});
  if (job.share) metrics.push_back({"job", "job", "share", "", "avg", *job.share});
  if (job.joules) metrics.push_back({"job", "job", "energy", "Ws", "acc", *job.joules});
}

/// Whether two runs have the same number. The unit follows from the event.
bool IsSame(const Metric& a, const Metric& b) {
  return a.component == b.component && a.name == b.name && a.type == b.type &&
         a.statistic == b.statistic;
}

/// Of one run the half width is infinite and the variance is 0.
RepeatedMetric SummaryOf(const Metric& metric, const std::vector<double>& values) {
  RepeatedMetric summary = {metric, values.size(), 0, 0, 0, 0, 0};
  summary.metric.value = Mean(values);
  const double half = MeanHalfWidth(values);
  summary.low = summary.metric.value - half;
  summary.high = summary.metric.value + half;
  summary.minimum = *std::min_element(values.begin(), values.end());
  summary.maximum = *std::max_element(values.begin(), values.end());
  summary.deviation = std::sqrt(Variance(values));
  return summary;
}

}  // namespace

RunResult MakeRunResult(const Measurement& measurement, const Ending& ending,
                        const std::optional<EnergyTotal>& idle,
                        const std::optional<JobTimes>& job) {
  RunResult result;
  result.ending = ending;
  result.energies = measurement.Energies();
  result.total = TotalOf(result.energies, ending.wall_seconds);
  if (result.total && idle) result.net = NetOf(*result.total, *idle);
  if (job) result.job = ShareOf(*job, result.energies, result.total, result.net);
  std::vector<Metric>& metrics = result.metrics;
  metrics.push_back({"run", "wall", "time", "s", "acc", ending.wall_seconds});
  if (ending.has_program) {
    metrics.push_back({"run", "user", "time", "s", "acc", ending.user_seconds});
    metrics.push_back({"run", "system", "time", "s", "acc", ending.system_seconds});
  }
  // A total that lacks a part would make the mean of the runs too small.
  if (result.total && result.total->shorter.empty()) {
    metrics.push_back({"total", "total", "energy", "Ws", "acc", result.total->energy.joules});
    metrics.push_back({"total", "total", "power", "W", "avg", result.total->watts});
  }
  if (result.net && result.net->energy) {
    metrics.push_back({"total", "net", "energy", "Ws", "acc", result.net->energy->joules});
  }
  if (result.job) AddJob(metrics, *result.job);
  for (const auto& measured : measurement.components()) {
    // A component that was left behind in this run has values of a part of it.
    if (!measured->health().abandoned) AddEvents(metrics, measured->set());
  }
  return result;
}

void AddPhases(const Measurement& measurement, const std::vector<PhaseMark>& marks,
               const RunSpan& run, RunResult& result) {
  std::vector<const EnergyCurve*> curves;
  for (const EventEnergy& energy : result.energies) {
    // The phases divide the total, so its events alone have curves here.
    if (!result.total) break;
    const auto& names = result.total->names;
    if (std::find(names.begin(), names.end(), energy.name) == names.end()) continue;
    for (const auto& measured : measurement.components()) {
      // An event is known by its component and its index in the set.
      if (measured->set().cmp_name != energy.component) continue;
      if (const EnergyCurve* curve = measured->CurveOf(energy.event)) curves.push_back(curve);
    }
  }
  result.phases = PhasesOf(marks, run, curves);
  // As for the total, a part would make the mean of the runs too small.
  const bool is_complete = result.total && result.total->shorter.empty();
  for (const Phase& phase : result.phases) {
    const std::string name = phase.marks ? phase.name : kBeforeMarks;
    result.metrics.push_back({"phase", name, "time", "s", "acc", phase.seconds});
    if (!phase.energy || !is_complete) continue;
    result.metrics.push_back({"phase", name, "energy", "Ws", "acc", phase.energy->joules});
  }
}

std::vector<RepeatedMetric> Repeated(const std::vector<RunResult>& runs) {
  std::vector<Metric> metrics;
  std::vector<std::vector<double>> values;
  for (const RunResult& run : runs) {
    std::size_t expected = 0;  // all runs have the same order, so the search ends at once
    for (const Metric& metric : run.metrics) {
      // One value that is not finite would make the mean of all runs so.
      if (!std::isfinite(metric.value)) continue;
      // Where a run lacks a metric the expected place is wrong, and the search begins at the first
      // one.
      std::size_t at = expected;
      if (at >= metrics.size() || !IsSame(metrics[at], metric)) {
        at = 0;
        while (at < metrics.size() && !IsSame(metrics[at], metric)) ++at;
      }
      if (at == metrics.size()) {
        metrics.push_back(metric);
        values.emplace_back();
      }
      values[at].push_back(metric.value);
      expected = at + 1;
    }
  }
  std::vector<RepeatedMetric> summaries;
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    summaries.push_back(SummaryOf(metrics[i], values[i]));
  }
  return summaries;
}

}  // namespace csink::atime
