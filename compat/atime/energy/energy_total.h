#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compat/atime/energy/energy_meter.h"

namespace csink::atime {

/// The energy of packages, memory and GPUs together, each counted once.
struct EnergyTotal {
  struct LeftOut {
    std::string name;
    std::string why;  ///< "part of a package"
  };
  BoundedEnergy energy;            ///< J
  double watts = 0;                ///< The sum of the mean powers
  double seconds = 0;              ///< The longest time that an included event was measured
  std::vector<std::string> names;  ///< The events that are included
  std::vector<LeftOut> left_out;   ///< The energies that are not
  /// Included events that were measured for less than 95 % of the run: their device stopped
  /// answering, or answered late.
  std::vector<std::string> shorter;
};

/// Sums up packages, memory and GPUs.
/// - A package contains its cores and its graphics; a limit is no energy.
/// - The packages (memory) of one component are counted: of rapl, else powercap, else hwmon, else
///   cray_pm. These components read the same devices.
/// - Of a card that has a counter of energy and a sensor of power, the counter is included; of
///   several sensors of power, the one that is renewed most often.
/// - The accelerators of cray_pm are included if no driver's component has a GPU.
/// - psys contains packages, memory and possibly GPUs. It is the total if no package is measured.
/// - The power of a whole server, as a BMC reports it, is not included.
/// The bounds are the sums of the bounds: the errors of devices that one program loads are not
/// independent. nullopt: nothing that belongs into the total was measured.
/// `run_seconds`: the time of the run, for `shorter`.
std::optional<EnergyTotal> TotalOf(std::span<const EventEnergy> energies, double run_seconds);

}  // namespace csink::atime
