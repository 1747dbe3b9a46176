#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compat/atime/energy/energy_meter.h"
#include "compat/atime/energy/energy_total.h"
#include "compat/atime/energy/idle.h"
#include "compat/atime/energy/job_share.h"
#include "compat/atime/phases.h"
#include "compat/atime/program.h"

namespace csink::atime {

/// A number of a run that is compared with that of other runs.
struct Metric {
  /// "run" for times, "total" for the total of energy, "job" for its share, "phase"
  std::string component;
  std::string name;       ///< The event, or "wall", "user", "system", "total", "net"
  std::string type;       ///< "energy"
  std::string unit;       ///< "Ws"
  std::string statistic;  ///< "acc" or "avg"
  double value = 0;
};

/// What one run of the program gave, apart from the values in the event sets.
struct RunResult {
  Ending ending;
  std::vector<EventEnergy> energies;
  std::optional<EnergyTotal> total;
  std::optional<NetEnergy> net;  ///< With --idle, if there is a total of the idle time
  std::optional<JobShare> job;   ///< With -p or --cgroup
  /// With --phases: what lies between the marks; empty: the program has set none.
  std::vector<Phase> phases;
  std::vector<Metric> metrics;

  /// The energy of an event of a component; nullptr: it has none.
  const EventEnergy* Find(std::string_view component, int event) const noexcept {
    for (const EventEnergy& energy : energies) {
      if (energy.component == component && energy.event == event) return &energy;
    }
    return nullptr;
  }
};

class Measurement;

/// Makes the result of a run from the values of the event sets. `idle`: the total of the idle time;
/// nullopt: it was not measured. `job`: the times of the job; nullopt: there is none. Call it after
/// Measurement::Stop.
RunResult MakeRunResult(const Measurement& measurement, const Ending& ending,
                        const std::optional<EnergyTotal>& idle, const std::optional<JobTimes>& job);

/// Divides the run by the program's marks, and adds the phases to `result` and its metrics. Call it
/// after MakeRunResult. The energies are those of the total.
void AddPhases(const Measurement& measurement, const std::vector<PhaseMark>& marks,
               const RunSpan& run, RunResult& result);

/// A metric over several runs.
struct RepeatedMetric {
  Metric metric;             ///< Its value is the mean
  std::size_t runs = 0;      ///< Runs that have the metric, with a finite value
  double low = 0, high = 0;  ///< The 95 % interval of the mean; infinite for one run
  double minimum = 0, maximum = 0;
  double deviation = 0;  ///< The standard deviation of one run
};

/// The metrics of all runs, in the order of their first occurrence. Values that are not finite are
/// left out. Of value 0 and value 1 of each event: the sum if it is kept, and the mean if that is.
std::vector<RepeatedMetric> Repeated(const std::vector<RunResult>& runs);

}  // namespace csink::atime
