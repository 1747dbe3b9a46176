#include "compat/atime/idle.h"

namespace csink::atime {

NetEnergy NetOf(const EnergyTotal& total, const EnergyTotal& idle) {
  if (total.names != idle.names) return {std::nullopt, "not the same events were measured idle"};
  if (!total.shorter.empty()) {
    return {std::nullopt, total.shorter[0] + " was measured for a part of the run only"};
  }
  if (!idle.shorter.empty()) {
    return {std::nullopt, idle.shorter[0] + " was measured for a part of the idle time only"};
  }
  const double scale = total.seconds / idle.seconds;
  return {BoundedEnergy{total.energy.joules - idle.watts * total.seconds,
                        total.energy.low - idle.energy.high * scale,
                        total.energy.high - idle.energy.low * scale},
          ""};
}

}  // namespace csink::atime
