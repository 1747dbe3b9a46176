#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compat/atime/energy/energy_total.h"
#include "compat/atime/energy/idle.h"

namespace csink::atime {

/// CPU times of a job and of the whole machine, of the same time.
struct JobTimes {
  std::string name;            ///< Job::Name
  double cpu_seconds = 0;      ///< Of the job
  double machine_seconds = 0;  ///< Of all processes and the kernel; 0: not known
};

/// The part of the energy that is attributed to a job. It is an estimate: no counter tells which
/// process used an energy. A process that waits for memory uses less in a second than one that
/// computes, and the processors use energy also while no process runs.
struct JobShare {
  JobTimes times;
  /// 0 to 1: the job's part of the machine's CPU time; nullopt: that is not known, or 0.
  std::optional<double> share;
  std::vector<std::string> names;  ///< The events whose energies are shared
  std::optional<double> joules;    ///< share x their energies; nullopt: there are none
  std::optional<double> net;       ///< share x the energy above idle; nullopt: not known
};

/// Shares the energies of packages and memory, or of the platform, that are in the total. GPUs are
/// not shared by CPU time: a job that computes on a GPU uses little of it. The share is at most 1;
/// the two times are counted differently by kernels without precise accounting, so the job's may be
/// longer. `net` exists only if the total contains no GPU.
JobShare ShareOf(const JobTimes& times, std::span<const EventEnergy> energies,
                 const std::optional<EnergyTotal>& total, const std::optional<NetEnergy>& net);

}  // namespace csink::atime
