#include <algorithm>

#include "core/counting/system/cpu_info.h"
#include "core/util/parse.h"

namespace csink {
namespace {

// Parses digits with a decimal point, as /proc/cpuinfo writes them. Why not strtod: it follows the
// program's locale.
double Decimal(std::string_view text) noexcept {
  double value = 0, place = 0;
  for (const char c : text) {
    if (c == '.' && place == 0) {
      place = 1;
    } else if (c >= '0' && c <= '9') {
      value = value * 10 + (c - '0');
      place *= 10;
    } else {
      break;
    }
  }
  return place > 1 ? value / place : value;
}

// `mhz` if it can be a processor's frequency, else 0.
unsigned Plausible(double mhz) noexcept {
  return mhz >= 1 && mhz < 100'000 ? static_cast<unsigned>(mhz) : 0;
}

// The frequency from a device tree, whose cells are big-endian and have 4 or 8 bytes.
double DeviceTreeMhz(const SystemTree& tree) {
  for (const std::string& cpu : tree.Names("/proc/device-tree/cpus")) {
    if (!cpu.starts_with("cpu@")) continue;
    const std::string cells = tree.Read("/proc/device-tree/cpus/" + cpu + "/clock-frequency");
    if (cells.size() != 4 && cells.size() != 8) continue;
    double hz = 0;
    // As a double, so that eight bytes of nonsense do not overflow.
    for (const char c : cells) hz = hz * 256 + static_cast<unsigned char>(c);
    return hz / 1e6;
  }
  return 0;
}

// The present frequency as /proc/cpuinfo prints it; 0: not there, as on Arm.
double CpuinfoMhz(const SystemTree& tree) {
  const std::string& cpuinfo = tree.Cpuinfo();
  for (const char* key : {"cpu MHz", "clock", "CPU MHz"}) {  // x86, POWER, others
    if (const double mhz = Decimal(FieldOf(cpuinfo, key)); mhz > 0) return mhz;
  }
  return 0;
}

}  // namespace

// The sources in order of trust: cpufreq has limits of the hardware, /proc/cpuinfo only the present
// frequency, CPUID leaf 0x16 the nominal one. Each fills in what the one before lacks.
CpuFrequency ReadCpuFrequency(const SystemTree& tree, const CpuidFunction& cpuid,
                              const CpuTopology& topology) {
  CpuFrequency frequency;
  frequency.now_mhz = CpuinfoMhz(tree);
  // All CPUs are read: the cores of a hybrid machine have different limits.
  for (const unsigned cpu : topology.cpus) {
    const std::string folder = "/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/cpufreq/";
    const auto max_khz = tree.Number(folder + "cpuinfo_max_freq");
    const auto min_khz = tree.Number(folder + "cpuinfo_min_freq");
    const unsigned max_mhz = max_khz ? Plausible(static_cast<double>(*max_khz) / 1000) : 0;
    const unsigned min_mhz = min_khz ? Plausible(static_cast<double>(*min_khz) / 1000) : 0;
    frequency.max_mhz = std::max(frequency.max_mhz, max_mhz);
    if (min_mhz && (!frequency.min_mhz || min_mhz < frequency.min_mhz)) frequency.min_mhz = min_mhz;
    // Where the first CPU has no cpufreq files, the others have none either.
    if (max_mhz == 0 && cpu == topology.cpus.front()) break;
  }
  if (!frequency.max_mhz) frequency.max_mhz = Plausible(frequency.now_mhz);
  if (!frequency.max_mhz) {
    // Zero where the processor or the hypervisor does not fill it in.
    if (const auto leaf = cpuid(0x16, 0)) {  // Intel: eax base, ebx maximum, in MHz
      frequency.max_mhz = Plausible(leaf->ebx & 0xffff);
      if (!frequency.max_mhz) frequency.max_mhz = Plausible(leaf->eax & 0xffff);
    }
  }
  if (!frequency.max_mhz) frequency.max_mhz = Plausible(DeviceTreeMhz(tree));
  // A single known frequency is shown as both limits: PAPI has no "unknown" there.
  if (!frequency.min_mhz) frequency.min_mhz = frequency.max_mhz;
  if (!Plausible(frequency.now_mhz)) frequency.now_mhz = frequency.max_mhz;
  return frequency;
}

}  // namespace csink
