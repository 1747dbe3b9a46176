#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "core/components/device/parted_source.h"
#include "core/components/rapl/processor_map.h"
#include "core/system/cpu_info.h"
#include "core/system/system_tree.h"
#include "core/util/result.h"

namespace csink {

class MsrReader;

/// A thermometer or speedometer: of a package (core -1) or of a core of it, by ProcessorMap.
struct CoreReading {
  unsigned package = 0;
  int core = -1;
};

/// `part` answers for readings[i] by i; nullptr: there are none.
struct CoreReadings {
  std::unique_ptr<ReadingPart> part;
  std::vector<CoreReading> readings;
};

/// Temperatures in °C, signed: coretemp ("Package id P", "Core C"), k10temp or zenpower ("Tdie",
/// "Tctl") of /sys/class/hwmon (Documentation/hwmon in Linux).
CoreReadings OpenHwmonTemperatures(const SystemTree& tree, const ProcessorMap& processors);
/// The same by Intel's registers: target less distance (SDM volume 3, 15.8.2).
CoreReadings OpenMsrTemperatures(MsrReader& registers, const CpuIdentity& cpu,
                                 const ProcessorMap& processors);

/// kHz as the kernel's governor tells them: scaling_cur_freq of the first CPU of each core.
CoreReadings OpenCpufreq(const SystemTree& tree, const ProcessorMap& processors);
/// Three readings a core, one after the other: the registers TSC, MPERF and APERF.
CoreReadings OpenMsrCycles(MsrReader& registers, const ProcessorMap& processors);

/// What PAPI 7 calls THERMAL_SPEC and so on, of a package; 0: nobody tells.
struct PowerInfo {
  double thermal_spec_w = 0, minimum_w = 0, maximum_w = 0, time_window_s = 0;
};
PowerInfo ReadPowerInfo(const SystemTree& tree, MsrReader& registers, const CpuIdentity& cpu,
                        const ProcessorMap::Package& package);

/// Ticks of all CPUs since the machine started, by the first line of /proc/stat (proc(5)).
struct CpuTicks {
  std::uint64_t work = 0;  ///< user, nice, system, irq, softirq, steal (guests are in user)
  std::uint64_t idle = 0;  ///< idle, iowait
};
/// Errors: kCorrupt.
Result<CpuTicks> ParseCpuTicks(std::string_view stat) noexcept;

/// KiB of /proc/meminfo. Free is what programs can have: MemFree, Buffers and Cached.
struct MemoryUse {
  std::uint64_t total = 0, free = 0, used = 0;
  std::uint64_t swap_total = 0, swap_free = 0, swap_used = 0;
};
/// Errors: kCorrupt.
Result<MemoryUse> ParseMemoryUse(std::string_view meminfo) noexcept;

/// /proc/stat and /proc/meminfo as readings, each file read once a read.
enum class ProcReading : std::uint32_t {
  kTimeWork,   ///< ms a CPU, the bits of a double
  kTimeIdle,   ///< The same
  kWorkTicks,  ///< Inputs of TIME_UTIL
  kAllTicks,
  kMemTotal,
  kMemUsed,
  kMemFree,
  kSwapTotal,
  kSwapUsed,
  kSwapFree,
};
/// nullptr: there is no such file. `cpus` > 0: what ticks are divided by.
std::unique_ptr<ReadingPart> OpenCpuTimes(const SystemTree& tree, std::size_t cpus);
std::unique_ptr<ReadingPart> OpenMemoryUse(const SystemTree& tree);

}  // namespace csink
