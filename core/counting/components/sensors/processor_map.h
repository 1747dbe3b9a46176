#pragma once

#include <vector>

#include "core/counting/system/system_tree.h"

/// File: which CPU belongs to which core and package.

namespace csink {

/// The processors by package and core, numbered as in rapl's event names: PACKAGEp is the p-th
/// package and CPUc its c-th core, in ascending order of the kernel's ids and without gaps. Plain
/// data; CPUs that are online are in it, each once, and no package or core is empty.
struct ProcessorMap {
  /// A core: one or several hardware threads.
  struct Core {
    unsigned core_id = 0;        ///< The kernel's id; ids may have gaps
    std::vector<unsigned> cpus;  ///< Its threads; values are read on the first one
  };
  /// A socket's processor, with the cores of all its dies.
  struct Package {
    /// The kernel's id; ids may have gaps.
    unsigned package_id = 0;
    std::vector<Core> cores;
  };
  /// PACKAGEp is packages[p].
  std::vector<Package> packages;

  /// The number of the package with this CPU, by the kernel's number; -1: there is none, or the CPU
  /// was offline.
  int PackageOfCpu(unsigned cpu) const noexcept;
  /// The number of the package with this id of the kernel's; -1: there is none.
  int PackageOfId(unsigned package_id) const noexcept;
};

/// Reads /sys/devices/system/cpu/cpuN/topology. Where that is missing, each CPU is a core of
/// package 0. The map is that of the moment: CPUs that come or go later do not change it.
ProcessorMap ReadProcessorMap(const SystemTree& tree);

}  // namespace csink
