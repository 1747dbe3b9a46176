#include <algorithm>

#include "core/counting/components/device/device_file.h"
#include "core/counting/components/sensors/msr.h"
#include "core/counting/components/sensors/powercap_zones.h"
#include "core/counting/components/sensors/rapl_parts.h"

// File: frequencies of cores, by the kernel's governor or by the cycles that the cores have
// counted, and the limits of power that a processor states.

namespace csink {
namespace {

// One file scaling_cur_freq for each core; the unit is kHz.
class CpufreqPart final : public ReadingPart {
 public:
  std::vector<DeviceFile> files;
  Result<std::uint64_t> Value(std::uint32_t index) noexcept override {
    const Result<std::int64_t> khz = files[index].Number();
    if (!khz) return khz.error();
    return static_cast<std::uint64_t>(*khz);
  }
};

// The registers TSC, MPERF and APERF of one CPU of each core. MPERF and APERF count only while the
// core is not halted: APERF at its actual frequency, MPERF at the nominal one.
class CyclesPart final : public ReadingPart {
 public:
  explicit CyclesPart(MsrReader& registers) : registers_(registers) {}
  std::vector<unsigned> cpus;
  Result<std::uint64_t> Value(std::uint32_t index) noexcept override {
    constexpr std::uint32_t kNumbers[] = {kMsrTsc, kMsrMperf, kMsrAperf};
    // Three values for each core, in this order (rapl_parts.h).
    return registers_.Read(cpus[index / 3], kNumbers[index % 3]);
  }

 private:
  MsrReader& registers_;
};

}  // namespace

CoreReadings OpenCpufreq(const SystemTree& tree, const ProcessorMap& processors) {
  CoreReadings found;
  auto part = std::make_unique<CpufreqPart>();
  for (unsigned p = 0; p < processors.packages.size(); ++p) {
    const auto& cores = processors.packages[p].cores;
    for (std::size_t c = 0; c < cores.size(); ++c) {
      const std::string cpu = "cpu" + std::to_string(cores[c].cpus.front());
      Result<DeviceFile> file =
          DeviceFile::Open(tree, "/sys/devices/system/cpu/" + cpu + "/cpufreq/scaling_cur_freq");
      // A CPU that is offline, or a kernel without cpufreq.
      if (!file || !file->Number()) continue;
      part->files.push_back(std::move(*file));
      found.readings.push_back({p, static_cast<int>(c)});
    }
  }
  if (!found.readings.empty()) found.part = std::move(part);
  return found;
}

CoreReadings OpenMsrCycles(MsrReader& registers, const ProcessorMap& processors) {
  CoreReadings found;
  auto part = std::make_unique<CyclesPart>(registers);
  for (unsigned p = 0; p < processors.packages.size(); ++p) {
    const auto& cores = processors.packages[p].cores;
    for (std::size_t c = 0; c < cores.size(); ++c) {
      const unsigned cpu = cores[c].cpus.front();
      // Hypervisors return 0 for MPERF and APERF; on a core that has run, neither is 0.
      bool runs = true;
      for (const std::uint32_t number : {kMsrTsc, kMsrMperf, kMsrAperf}) {
        const Result<std::uint64_t> cycles = registers.Read(cpu, number);
        runs = runs && cycles && *cycles != 0;
      }
      if (!runs) return found;  // all cores are alike, and there may be hundreds: stop at the first
      part->cpus.push_back(cpu);
      found.readings.push_back({p, static_cast<int>(c)});
    }
  }
  if (!found.readings.empty()) found.part = std::move(part);
  return found;
}

// From the register PKG_POWER_INFO where it can be read, otherwise from the kernel's limits.
PowerInfo ReadPowerInfo(const SystemTree& tree, MsrReader& registers, const CpuIdentity& cpu,
                        const ProcessorMap::Package& package) {
  PowerInfo info;
  if (cpu.vendor == CpuVendor::kIntel) {
    const unsigned first = package.cores.front().cpus.front();
    const Result<std::uint64_t> units = registers.Read(first, kMsrRaplPowerUnit);
    const Result<std::uint64_t> power = registers.Read(first, kMsrPackagePowerInfo);
    if (units && power && *units != 0) {
      // Units of power and time: bits 3:0 and 19:16 of the unit register (Intel SDM volume 3,
      // 15.10.1).
      const double watt = 1.0 / static_cast<double>(1u << (*units & 15));
      const double second = 1.0 / static_cast<double>(1u << ((*units >> 16) & 15));
      // Fields of PKG_POWER_INFO: 15 bits each for specification, minimum and maximum, 6 bits for
      // the time window.
      info.thermal_spec_w = static_cast<double>(*power & 0x7fff) * watt;
      info.minimum_w = static_cast<double>((*power >> 16) & 0x7fff) * watt;
      info.maximum_w = static_cast<double>((*power >> 32) & 0x7fff) * watt;
      info.time_window_s = static_cast<double>((*power >> 48) & 0x3f) * second;
      return info;
    }
  }
  // The limits of the dies are added up, as the energies are (energy_powercap.cpp): each die has a
  // zone and limits of its own. Their time windows are alike.
  for (const PowercapZone& zone : FindRaplZones(tree)) {
    if (PackageIdOf(zone) != package.package_id) continue;
    // The files are in uW and us; 0: there is no such file.
    const auto number = [&](const char* file) {
      return static_cast<double>(tree.Number(zone.folder + file).value_or(0)) / 1e6;
    };
    info.thermal_spec_w += number("/constraint_0_max_power_uw");
    info.maximum_w += number("/constraint_1_max_power_uw");
    info.time_window_s = std::max(info.time_window_s, number("/constraint_0_max_time_window_us"));
  }
  return info;
}

}  // namespace csink
