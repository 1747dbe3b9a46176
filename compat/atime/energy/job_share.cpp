#include "compat/atime/energy/job_share.h"

#include <algorithm>

/// File: divides energies by CPU time. The energy of GPUs is not divided, but a total that contains
/// a GPU still gives the share of packages and memory.

namespace csink::atime {

JobShare ShareOf(const JobTimes& times, std::span<const EventEnergy> energies,
                 const std::optional<EnergyTotal>& total, const std::optional<NetEnergy>& net) {
  JobShare share;
  share.times = times;
  if (times.machine_seconds > 0) {
    share.share = std::clamp(times.cpu_seconds / times.machine_seconds, 0.0, 1.0);
  }
  if (!total || !share.share) return share;
  double joules = 0;
  bool has_gpu = false;
  for (const EventEnergy& event : energies) {
    const auto& names = total->names;
    if (std::find(names.begin(), names.end(), event.name) == names.end()) continue;
    // The net energy cannot be divided either, because the GPU is in it.
    if (event.source.place == EnergyPlace::kGpu) {
      has_gpu = true;
      continue;
    }
    share.names.push_back(event.name);
    joules += event.energy.joules;
  }
  if (share.names.empty()) return share;
  share.joules = *share.share * joules;
  if (net && net->energy && !has_gpu) share.net = *share.share * net->energy->joules;
  return share;
}

}  // namespace csink::atime
