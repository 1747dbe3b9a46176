#pragma once

#include <vector>

#include "core/system/system_tree.h"

namespace csink {

/// The processors by package and core, as the names of rapl's events count them: PACKAGEp is the
/// p-th package and CPUc its c-th core, by the kernel's ids in ascending order, without gaps.
struct ProcessorMap {
  struct Core {
    unsigned core_id = 0;        ///< The kernel's, with gaps
    std::vector<unsigned> cpus;  ///< Its threads; the first is asked
  };
  struct Package {
    unsigned package_id = 0;
    std::vector<Core> cores;
  };
  std::vector<Package> packages;

  /// The number of the package of that CPU; -1: there is none.
  int PackageOfCpu(unsigned cpu) const noexcept;
  /// By the kernel's id; -1: there is none.
  int PackageOfId(unsigned package_id) const noexcept;
};

/// From /sys/devices/system/cpu/cpuN/topology; where that is missing, each CPU is a core of package
/// 0.
ProcessorMap ReadProcessorMap(const SystemTree& tree);

}  // namespace csink
