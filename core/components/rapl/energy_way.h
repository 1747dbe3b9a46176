#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/components/device/parted_source.h"
#include "core/components/rapl/processor_map.h"
#include "core/perf/kernel.h"
#include "core/system/cpu_info.h"
#include "core/system/system_tree.h"

namespace csink {

class MsrReader;

/// What RAPL tells the energy of (Intel SDM volume 3, 15.10; AMD PPR, RAPL registers).
enum class EnergyDomain : std::uint8_t { kPackage, kDram, kPp0, kPp1, kPsys };

/// An energy counter that can be read: of a domain of a package, in nJ since it was opened.
struct EnergyReading {
  EnergyDomain domain = EnergyDomain::kPackage;
  unsigned package = 0;
  std::uint64_t longest_gap_ns = 0;
};

/// One of the three ways to these counters. `part` answers for readings[i] by i.
struct EnergyWay {
  std::unique_ptr<ReadingPart> part;
  std::vector<EnergyReading> readings;
  /// The part also answers for i + readings.size(): the same in the counter's own units.
  bool tells_counts = false;
  std::string obstacle;  ///< Why there is none, or not all, and what would grant it
};

/// perf's power PMU: the kernel extends the counters itself. Needs perf_event_paranoid <= 0 or
/// CAP_PERFMON.
EnergyWay OpenPerfEnergy(const SystemTree& tree, Kernel& kernel, const ProcessorMap& processors);
/// /sys/class/powercap. Needs read permission on energy_uj, which is root's since Linux 5.10.
EnergyWay OpenPowercapEnergy(const SystemTree& tree, const ProcessorMap& processors);
/// The registers, by /dev/cpu/N/msr. Needs root with CAP_SYS_RAWIO.
EnergyWay OpenMsrEnergy(MsrReader& registers, const CpuIdentity& cpu,
                        const ProcessorMap& processors);

}  // namespace csink
