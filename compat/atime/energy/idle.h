#pragma once

#include <optional>
#include <string>

#include "compat/atime/energy/energy_total.h"

namespace csink::atime {

/// The energy of a run above that of an idle machine.
struct NetEnergy {
  /// J; nullopt: `why` says why it cannot be computed.
  std::optional<BoundedEnergy> energy;
  std::string why;
};

/// total - idle power x the run's seconds. The bounds are those of the counters' steps:
///
///   low = total.low - idle.high / idle.seconds * total.seconds, high accordingly
///
/// They may be negative, where a run used less than the machine did before. How much the idle power
/// varies is not in them; repeated runs show it. nullopt energy: an event was measured in one of
/// the two only, or for a part of the time.
NetEnergy NetOf(const EnergyTotal& total, const EnergyTotal& idle);

}  // namespace csink::atime
