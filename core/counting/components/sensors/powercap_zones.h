#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/counting/components/device/device_counter.h"
#include "core/counting/system/system_tree.h"

/// File: the zones of power capping, for the components powercap and rapl.

namespace csink {

/// A zone of the kernel's power capping framework: /sys/class/powercap/CONTROLLER:N, or
/// CONTROLLER:N:M inside zone N (Documentation/power/powercap/powercap.rst). RAPL's controller is
/// intel-rapl, on AMD, too; others are arm-scmi and dtpm.
struct PowercapZone {
  std::string folder;      ///< "/sys/class/powercap/intel-rapl:0"
  std::string name;        ///< "package-0", "package-0-die-1", "dram", "psys"
  std::string controller;  ///< "intel-rapl"
  /// N, M, ... of the folder's name; at least one. RAPL has two levels.
  std::vector<unsigned> numbers;

  unsigned zone() const noexcept { return numbers[0]; }
  bool is_subzone() const noexcept { return numbers.size() > 1; }
};

/// The zones of all controllers: RAPL's first, the others by their names; of each in the order
/// zone 0, its subzones, zone 1, ... Zones of the memory-mapped interface (intel-rapl-mmio) are
/// left out: they are other limits for the same energy. Empty: the kernel has no driver for this
/// machine. Nothing in a zone but its name is read.
std::vector<PowercapZone> FindPowercapZones(const SystemTree& tree);

/// Those of RAPL.
std::vector<PowercapZone> FindRaplZones(const SystemTree& tree);

/// The kernel's id of the package that the zone stands for: 1 for "package-1". Where packages have
/// several dies, each die is a zone at the top, "package-1-die-0", so several zones have one id
/// (rapl_update_domain_data and rapl_init_domains in drivers/powercap/intel_rapl_common.c).
/// nullopt: any other zone.
std::optional<unsigned> PackageIdOf(const PowercapZone& zone);

/// An upper bound in W for the power of a zone: twice its highest limit, and at least 100 W; 0: the
/// kernel reports no limit.
double MostWattsOf(const SystemTree& tree, const PowercapZone& zone);

/// What the energy of a RAPL zone, in uJ, can do.
struct RaplLimits {
  DeviceCounter::Limits counter;
  /// The highest growth that the zone's limits allow. Readings are refused above a higher one,
  /// which no processor reaches: a BIOS that reports too low a limit must not cost a reading.
  double most_per_second = 0;
};
RaplLimits RaplLimitsOf(const SystemTree& tree, const PowercapZone& zone);

}  // namespace csink
