#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/counting/components/device/parted_source.h"
#include "core/counting/components/sensors/processor_map.h"
#include "core/counting/system/cpu_info.h"
#include "core/counting/system/system_tree.h"
#include "core/perf/kernel.h"

/// File: the three ways to read RAPL's energies. rapl_source.cpp opens all of them and takes each
/// domain from the first way that has it (docs/design/components.md).

namespace csink {

class MsrReader;

/// The domains whose energy RAPL reports (Intel SDM volume 3, 15.10; AMD PPR, RAPL registers).
/// Which of them a processor has depends on its model.
enum class EnergyDomain : std::uint8_t { kPackage, kDram, kPp0, kPp1, kPsys };

/// An energy counter that can be read: of a domain of a package, in nJ since it was opened.
/// longest_gap_ns and most_per_second as in DeviceEvent.
struct EnergyReading {
  EnergyDomain domain = EnergyDomain::kPackage;
  /// By ProcessorMap.
  unsigned package = 0;
  std::uint64_t longest_gap_ns = 0;
  double most_per_second = 0;  ///< In nJ
  double nj_per_count = 1;
};

/// The error of a reading that is refused.
inline constexpr char kRefused[] =
    "an energy counter of the processor is above its range, stepped back, or grew by more than a "
    "processor can use";

/// One of the three ways to read these counters. `part` returns readings[i] as its value number i;
/// nullptr: there are no readings.
struct EnergyWay {
  std::unique_ptr<ReadingPart> part;
  std::vector<EnergyReading> readings;
  /// The part also returns, as value i + readings.size(), readings[i] in the counter's own unit.
  bool reports_counts = false;
  /// Why there are no readings, or not all, and what would permit them: a phrase for the user,
  /// joined with those of the other ways. "": no obstacle.
  std::string obstacle;
};

/// By perf's power PMU, whose counters the kernel extends to 64 bits, so longest_gap_ns is 0. Needs
/// perf_event_paranoid <= 0 or CAP_PERFMON. `kernel` must outlive the result.
EnergyWay OpenPerfEnergy(const SystemTree& tree, Kernel& kernel, const ProcessorMap& processors);
/// By /sys/class/powercap. Needs read permission for energy_uj, which only root has since Linux
/// 5.10. Units: uJ, shown in nJ.
EnergyWay OpenPowercapEnergy(const SystemTree& tree, const ProcessorMap& processors);
/// By registers (/dev/cpu/N/msr). Needs root with CAP_SYS_RAWIO. The only way that also returns raw
/// counts (reports_counts). `registers` must outlive the result.
EnergyWay OpenMsrEnergy(MsrReader& registers, const CpuIdentity& cpu,
                        const ProcessorMap& processors);

}  // namespace csink
