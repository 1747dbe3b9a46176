#pragma once

#include <string>
#include <vector>

#include "core/system/system_tree.h"

namespace csink {

/// A zone of the kernel's power capping framework that RAPL made: /sys/class/powercap/intel-rapl:N,
/// or intel-rapl:N:M within zone N (Documentation/power/powercap/powercap.rst). AMD's are called
/// the same.
struct PowercapZone {
  std::string folder;  ///< "/sys/class/powercap/intel-rapl:0"
  std::string name;    ///< "package-0", "dram", "psys"
  unsigned zone = 0;
  int subzone = -1;  ///< -1: none, the zone itself
};

/// In the order zone 0, its subzones, zone 1, ... The zones of the memory-mapped interface
/// (intel-rapl-mmio) are other limits of the same energy and left out.
std::vector<PowercapZone> FindPowercapZones(const SystemTree& tree);

/// More power in W than the zone can draw by its limits (twice the highest); 0: nobody tells.
double MostWattsOf(const SystemTree& tree, const PowercapZone& zone);

}  // namespace csink
