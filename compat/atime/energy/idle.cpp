#include "compat/atime/energy/idle.h"

/// File: the net energy. The bounds of a difference are wider than those of its parts: both errors
/// count.

namespace csink::atime {

NetEnergy NetOf(const EnergyTotal& total, const EnergyTotal& idle) {
  // A difference of two sums means something only if both contain the same devices.
  if (total.names != idle.names) return {std::nullopt, "not the same events were measured idle"};
  if (!total.shorter.empty()) {
    return {std::nullopt, total.shorter[0] + " was measured for a part of the run only"};
  }
  if (!idle.shorter.empty()) {
    return {std::nullopt, idle.shorter[0] + " was measured for a part of the idle time only"};
  }
  // The factor from the idle time to the time of the run.
  const double scale = total.seconds / idle.seconds;
  // The lowest net energy is that of the lowest total and the highest idle energy.
  return {BoundedEnergy{total.energy.joules - idle.watts * total.seconds,
                        total.energy.low - idle.energy.high * scale,
                        total.energy.high - idle.energy.low * scale},
          ""};
}

}  // namespace csink::atime
