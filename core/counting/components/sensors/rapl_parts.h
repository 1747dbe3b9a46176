#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "core/counting/components/device/parted_source.h"
#include "core/counting/components/sensors/processor_map.h"
#include "core/counting/system/cpu_info.h"
#include "core/counting/system/system_tree.h"
#include "core/util/result.h"

/// File: the sources rapl and load and their parts besides energies: temperatures, frequencies,
/// limits, CPU times, memory. A function that finds nothing returns an empty result; that is not an
/// error, since most machines lack some of these.

namespace csink {

class Kernel;
class MsrReader;

/// MakeRaplSource and MakeLoadSource of device_sources.h with given registers and CPUID, so that a
/// test can have the processor of a recorded tree; the component's registers are those of /dev/cpu,
/// its CPUID that of this processor. `kernel` must outlive the source; the source owns `registers`
/// and copies the rest.
std::unique_ptr<DeviceSource> MakeRaplSource(const SystemTree& tree, Kernel& kernel,
                                             std::unique_ptr<MsrReader> registers,
                                             const CpuidFunction& cpuid);
std::unique_ptr<DeviceSource> MakeLoadSource(const SystemTree& tree,
                                             std::unique_ptr<MsrReader> registers,
                                             const CpuidFunction& cpuid);

/// A place where a temperature or frequency is measured: a package (core -1) or one of its cores,
/// by ProcessorMap.
struct CoreReading {
  unsigned package = 0;
  int core = -1;
};

/// `part` returns readings[i] as its value number i; nullptr: there are none.
struct CoreReadings {
  /// Owned by the source once it is added (PartedSource::AddPart).
  std::unique_ptr<ReadingPart> part;
  std::vector<CoreReading> readings;
};

/// Temperatures in °C, signed, from the drivers coretemp ("Package id P", "Core C"), k10temp or
/// zenpower ("Tdie", "Tctl") in /sys/class/hwmon (Documentation/hwmon in Linux). Rounded towards
/// zero to whole degrees.
CoreReadings OpenHwmonTemperatures(const SystemTree& tree, const ProcessorMap& processors);
/// The same from Intel's registers: the target temperature minus the distance to it (SDM volume 3,
/// 15.8.2). Nothing on other processors. `registers` must outlive the result.
CoreReadings OpenMsrTemperatures(MsrReader& registers, const CpuIdentity& cpu,
                                 const ProcessorMap& processors);

/// Frequencies in kHz as the kernel's governor reports them: scaling_cur_freq of the first CPU of
/// each core (Documentation/admin-guide/pm/cpufreq.rst in Linux).
CoreReadings OpenCpufreq(const SystemTree& tree, const ProcessorMap& processors);
/// Three values for each core, in order: the registers TSC, MPERF and APERF. Value 3 * i + k
/// belongs to readings[i]. Nothing unless all cores have all three. `registers` must outlive the
/// result.
CoreReadings OpenMsrCycles(MsrReader& registers, const ProcessorMap& processors);

/// The power limits of a package (THERMAL_SPEC and so on in PAPI 7); 0: unknown.
struct PowerInfo {
  /// In W and s: what the package is cooled for, the lowest and highest limit, the longest time
  /// window.
  double thermal_spec_w = 0, minimum_w = 0, maximum_w = 0, time_window_s = 0;
};
/// The limits of one package, from the register PKG_POWER_INFO or from powercap.
PowerInfo ReadPowerInfo(const SystemTree& tree, MsrReader& registers, const CpuIdentity& cpu,
                        const ProcessorMap::Package& package);

/// Ticks of all CPUs since the machine started, from the first line of /proc/stat (proc(5)).
struct CpuTicks {
  std::uint64_t work = 0;  ///< user, nice, system, irq, softirq, steal (guest time is part of user)
  std::uint64_t idle = 0;  ///< idle, iowait
};
/// Parses the text of /proc/stat, of which only the first line is needed. Errors: kCorrupt: another
/// first line, fewer than four numbers, implausible numbers.
Result<CpuTicks> ParseCpuTicks(std::string_view stat) noexcept;

/// Values of /proc/meminfo in KiB. `free` is what programs can get: MemFree, Buffers and Cached.
struct MemoryUse {
  std::uint64_t total = 0, free = 0, used = 0;
  /// Swap space, likewise.
  std::uint64_t swap_total = 0, swap_free = 0, swap_used = 0;
};
/// Parses the text of /proc/meminfo. Errors: kCorrupt: no MemTotal or MemFree. Lines that are
/// missing count as 0.
Result<MemoryUse> ParseMemoryUse(std::string_view meminfo) noexcept;

/// The values of OpenCpuTimes (kTimeWork to kAllTicks) and OpenMemoryUse (the others). Each file is
/// read once for all values of a read.
enum class ProcReading : std::uint32_t {
  kTimeWork,   ///< Average in ms for each CPU, as the bits of a double
  kTimeIdle,   ///< Likewise
  kWorkTicks,  ///< Inputs of TIME_UTIL
  /// Work and idle together.
  kAllTicks,
  /// In KiB, as integers.
  kMemTotal,
  kMemUsed,
  kMemFree,
  kSwapTotal,
  kSwapUsed,
  kSwapFree,
};
/// Opens /proc/stat or /proc/meminfo; nullptr: it cannot be read or parsed. `cpus`: the number by
/// which ticks are divided, at least 1.
std::unique_ptr<ReadingPart> OpenCpuTimes(const SystemTree& tree, std::size_t cpus);
std::unique_ptr<ReadingPart> OpenMemoryUse(const SystemTree& tree);

}  // namespace csink
