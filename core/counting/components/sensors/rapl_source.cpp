#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include "core/counting/components/device/device_sources.h"
#include "core/counting/components/device/parted_source.h"
#include "core/counting/components/sensors/energy_way.h"
#include "core/counting/components/sensors/msr.h"
#include "core/counting/components/sensors/rapl_parts.h"
#include "core/machine/clocks.h"

// File: Open asks one part after the other for what the machine has, and gives each value a name of
// APAPI's. The component load has the same events without energies and limits of power: without
// energies rapl is disabled, as PAPI's is.

namespace csink {
namespace {

using Scope = ComponentEvent::Scope;
using Type = ComponentEvent::Type;

/// Values that do not change while the machine runs.
class ConstantPart final : public ReadingPart {
 public:
  std::vector<std::uint64_t> values;
  Result<std::uint64_t> Value(std::uint32_t index) noexcept override { return values[index]; }
};

/// CLOCK_MONOTONIC in ns, the divisor of measured frequencies.
class ClockPart final : public ReadingPart {
 public:
  Result<std::uint64_t> Value(std::uint32_t) noexcept override { return MonotonicNs(); }
};

// The beginning of an event's name, and its description.
struct DomainText {
  const char* name;
  const char* description;
};
constexpr DomainText TextOf(EnergyDomain domain) noexcept {
  switch (domain) {
    case EnergyDomain::kPackage:
      return {"PACKAGE_ENERGY", "Energy of the whole package"};
    case EnergyDomain::kDram:
      return {"DRAM_ENERGY", "Energy of the memory of this package"};
    case EnergyDomain::kPp0:
      return {"PP0_ENERGY", "Energy of all cores of the package"};
    case EnergyDomain::kPp1:
      return {"PP1_ENERGY", "Energy of power plane 1, usually the integrated graphics"};
    case EnergyDomain::kPsys:
      break;
  }
  return {"PSYS_ENERGY", "Energy of the whole platform"};
}

// "NAME:PACKAGEp", and for a core "NAME:PACKAGEp:CPUc".
std::string AtPackage(std::string name, unsigned package) {
  return std::move(name) + ":PACKAGE" + std::to_string(package);
}
std::string AtCore(std::string name, const CoreReading& place) {
  name = AtPackage(std::move(name), place.package);
  return place.core < 0 ? name : name + ":CPU" + std::to_string(place.core);
}

class RaplSource final : public PartedSource {
 public:
  // `kernel`: nullptr for the component load.
  RaplSource(const SystemTree& tree, Kernel* kernel, std::unique_ptr<MsrReader> registers,
             const CpuidFunction& cpuid)
      : tree_(tree), kernel_(kernel), registers_(std::move(registers)), cpuid_(cpuid) {}

  Result<void> Open(std::string& reason) override;

 private:
  // Each adds the events of one kind, as far as they can be read. AddEnergies returns what keeps it
  // from each of its ways.
  std::string AddEnergies();
  void AddCounts(const EnergyWay& way, ReadingPart* part);
  void AddTemperatures();
  void AddFrequencies();
  void AddMeasuredFrequencies(CoreReadings cycles);
  void AddTimes();
  void AddMemory();
  void AddPowerInfo();

  const SystemTree tree_;
  Kernel* const kernel_;
  const std::unique_ptr<MsrReader> registers_;
  const CpuidFunction cpuid_;
  CpuIdentity cpu_;
  ProcessorMap processors_;
};

Result<void> RaplSource::Open(std::string& reason) {
  cpu_ = ReadCpuIdentity(tree_, cpuid_);
  processors_ = ReadProcessorMap(tree_);
  if (kernel_) {
    const std::string obstacles = AddEnergies();
    if (events().empty()) {
      reason = "the energy of the processors cannot be read: " + obstacles;
      return Error{Errc::kNoEvent, 0, "the energy of the processors cannot be read"};
    }
    AddPowerInfo();
  }
  AddTemperatures();
  AddFrequencies();
  AddTimes();
  AddMemory();
  if (!events().empty()) return {};
  reason = "neither /proc nor /sys tells the processors' load, temperature or frequency";
  return Error{Errc::kNoEvent, 0, "the processors provide no readings"};
}

std::string RaplSource::AddEnergies() {
  EnergyWay ways[] = {OpenPerfEnergy(tree_, *kernel_, processors_),
                      OpenPowercapEnergy(tree_, processors_),
                      OpenMsrEnergy(*registers_, cpu_, processors_)};
  // The ways are tried in the order of preference; a later one adds only what the earlier ones
  // lack.
  std::string obstacles;
  for (EnergyWay& way : ways) {
    obstacles += (obstacles.empty() ? "" : "; ") + way.obstacle;
    if (!way.part) continue;
    ReadingPart* part = AddPart(std::move(way.part));
    for (std::uint32_t i = 0; i < way.readings.size(); ++i) {
      const EnergyReading& reading = way.readings[i];
      DeviceEvent event;
      event.name = AtPackage(TextOf(reading.domain).name, reading.package);
      // A domain that an earlier way has, under the same name.
      const auto same = [&](const DeviceEvent& known) { return known.name == event.name; };
      if (std::any_of(events().begin(), events().end(), same)) continue;
      event.description = TextOf(reading.domain).description;
      event.units = "nJ";
      event.scope = Scope::kSocket;
      event.accumulates = true;
      event.longest_gap_ns = reading.longest_gap_ns;
      event.most_per_second = reading.most_per_second;
      AddEvent(std::move(event), part, i);
    }
    // Raw counts exist only by registers; perf and powercap give J and uJ.
    if (way.reports_counts) AddCounts(way, part);
  }
  return obstacles;
}

// Adds PAPI 7's raw counters.
void RaplSource::AddCounts(const EnergyWay& way, ReadingPart* part) {
  for (std::uint32_t i = 0; i < way.readings.size(); ++i) {
    const EnergyReading& reading = way.readings[i];
    DeviceEvent event;
    event.name = AtPackage(std::string(TextOf(reading.domain).name) + "_CNT", reading.package);
    event.description = std::string(TextOf(reading.domain).description) + ", raw counts";
    event.scope = Scope::kSocket;
    event.accumulates = true;
    event.longest_gap_ns = reading.longest_gap_ns;
    event.most_per_second = reading.most_per_second / reading.nj_per_count;
    AddEvent(std::move(event), part, i + static_cast<std::uint32_t>(way.readings.size()));
  }
}

// The drivers' values need no privilege, so registers are the second choice.
void RaplSource::AddTemperatures() {
  CoreReadings found = OpenHwmonTemperatures(tree_, processors_);
  if (!found.part) found = OpenMsrTemperatures(*registers_, cpu_, processors_);
  if (!found.part) return;
  ReadingPart* part = AddPart(std::move(found.part));
  for (std::uint32_t i = 0; i < found.readings.size(); ++i) {
    DeviceEvent event;
    event.name = AtCore("THERM_STATUS", found.readings[i]);
    event.description =
        found.readings[i].core < 0 ? "Temperature of the package" : "Temperature of the core";
    event.units = "°C";
    event.value_type = Type::kSigned;
    event.scope = found.readings[i].core < 0 ? Scope::kSocket : Scope::kCpu;
    AddEvent(std::move(event), part, i);
  }
}

void RaplSource::AddFrequencies() {
  // Measured frequencies are averages over the time between two reads; the governor's are those of
  // the moment.
  if (CoreReadings cycles = OpenMsrCycles(*registers_, processors_); cycles.part) {
    return AddMeasuredFrequencies(std::move(cycles));
  }
  CoreReadings found = OpenCpufreq(tree_, processors_);
  if (!found.part) return;
  ReadingPart* part = AddPart(std::move(found.part));
  for (std::uint32_t i = 0; i < found.readings.size(); ++i) {
    // APAPI has both names. The governor's value is the best answer to either of them.
    for (const char* name : {"AVG_FREQUENCY", "EFF_FREQUENCY"}) {
      DeviceEvent event;
      event.name = AtCore(name, found.readings[i]);
      event.description = "Current frequency of the core, as reported by the kernel's governor";
      event.units = "kHz";
      event.scope = Scope::kCpu;
      AddEvent(std::move(event), part, i);
    }
  }
}

// The average frequency is ΔTSC / Δt. The effective one is that times ΔAPERF / ΔMPERF: the
// frequency while the core was not halted.
void RaplSource::AddMeasuredFrequencies(CoreReadings cycles) {
  ReadingPart* part = AddPart(std::move(cycles.part));
  // A hidden event: an input of rates.
  const auto input = [this](ReadingPart* of, std::uint32_t index) {
    DeviceEvent event;
    event.accumulates = event.hidden = true;
    return AddEvent(std::move(event), of, index);
  };
  const std::uint32_t clock = input(AddPart(std::make_unique<ClockPart>()), 0);
  for (std::uint32_t i = 0; i < cycles.readings.size(); ++i) {
    const std::uint32_t tsc = input(part, 3 * i);
    const std::uint32_t mperf = input(part, 3 * i + 1);
    const std::uint32_t aperf = input(part, 3 * i + 2);
    // Cycles by ns are GHz, 10^6 kHz.
    constexpr double kKhzPerNs = 1e6;
    DeviceEvent average;
    average.name = AtCore("AVG_FREQUENCY", cycles.readings[i]);
    average.description = "Frequency of the core's time stamp counter between two reads";
    average.units = "kHz";
    average.scope = Scope::kCpu;
    // Without a divisor's growth the last value stays (DeviceEvent::Rate), so two reads in the same
    // tick are no division by zero.
    average.rate = {kKhzPerNs, {tsc}, {clock}};
    DeviceEvent effective = average;
    effective.name = AtCore("EFF_FREQUENCY", cycles.readings[i]);
    effective.description = "Frequency of the core while it was not halted, between two reads";
    effective.rate = {kKhzPerNs, {tsc, aperf}, {clock, mperf}};
    AddRate(std::move(average));
    AddRate(std::move(effective));
  }
}

void RaplSource::AddTimes() {
  std::size_t cpus = 0;
  for (const auto& package : processors_.packages) {
    // CPUs that are online now: /proc/stat sums up those.
    for (const auto& core : package.cores) cpus += core.cpus.size();
  }
  std::unique_ptr<ReadingPart> opened = OpenCpuTimes(tree_, cpus);
  if (!opened) return;
  ReadingPart* part = AddPart(std::move(opened));
  const auto add = [&](ProcReading reading, const char* name, const char* description) {
    DeviceEvent event;
    event.name = name;
    event.description = description;
    event.units = "ms";
    event.value_type = Type::kFloating;
    event.accumulates = true;
    // Inputs of TIME_UTIL have no name.
    event.hidden = *name == 0;
    return AddEvent(std::move(event), part, static_cast<std::uint32_t>(reading));
  };
  add(ProcReading::kTimeWork, "TIME_WORK", "Busy time of the processors, average of all");
  add(ProcReading::kTimeIdle, "TIME_IDLE", "Idle time of the processors, average of all");
  const std::uint32_t work = add(ProcReading::kWorkTicks, "", "");
  const std::uint32_t all = add(ProcReading::kAllTicks, "", "");
  DeviceEvent load;
  load.name = "TIME_UTIL";
  load.description = "Share of busy time of the processors between two reads";
  load.units = "%";
  load.value_type = Type::kFloating;
  load.rate = {100, {work}, {all}};
  AddRate(std::move(load));
}

void RaplSource::AddMemory() {
  std::unique_ptr<ReadingPart> opened = OpenMemoryUse(tree_);
  if (!opened) return;
  ReadingPart* part = AddPart(std::move(opened));
  struct Row {
    ProcReading reading;
    const char* name;
    const char* description;
  };
  constexpr Row kRows[] = {
      {ProcReading::kMemTotal, "MEM_TOTAL", "Memory of the machine"},
      {ProcReading::kMemUsed, "MEM_USED", "Memory in use, without the kernel's caches"},
      {ProcReading::kMemFree, "MEM_FREE", "Memory that is free or used as file cache"},
      {ProcReading::kSwapTotal, "SWAP_TOTAL", "Swap space of the machine"},
      {ProcReading::kSwapUsed, "SWAP_USED", "Swap space in use"},
      {ProcReading::kSwapFree, "SWAP_FREE", "Free swap space"},
  };
  for (const Row& row : kRows) {
    DeviceEvent event;
    event.name = row.name;
    event.description = row.description;
    event.units = "KiB";
    AddEvent(std::move(event), part, static_cast<std::uint32_t>(row.reading));
  }
}

void RaplSource::AddPowerInfo() {
  auto constants = std::make_unique<ConstantPart>();
  // Filled below, when the part is already owned by the source.
  ConstantPart* const values = constants.get();
  ReadingPart* part = AddPart(std::move(constants));
  const auto add = [&](unsigned package, const char* name, const char* units, double value,
                       const char* description) {
    // A limit that is not known has no event.
    if (!(value > 0)) return;
    DeviceEvent event;
    event.name = AtPackage(name, package);
    event.description = description;
    event.units = units;
    event.value_type = Type::kFloating;
    event.scope = Scope::kSocket;
    AddEvent(std::move(event), part, static_cast<std::uint32_t>(values->values.size()));
    values->values.push_back(std::bit_cast<std::uint64_t>(value));
  };
  for (unsigned p = 0; p < processors_.packages.size(); ++p) {
    const PowerInfo info = ReadPowerInfo(tree_, *registers_, cpu_, processors_.packages[p]);
    add(p, "THERMAL_SPEC", "W", info.thermal_spec_w, "Thermal design power of the package");
    add(p, "MINIMUM_POWER", "W", info.minimum_w, "Lowest power limit of the package");
    add(p, "MAXIMUM_POWER", "W", info.maximum_w, "Highest power limit of the package");
    add(p, "MAXIMUM_TIME_WINDOW", "s", info.time_window_s, "Maximum time window of a power limit");
  }
}

}  // namespace

std::unique_ptr<DeviceSource> MakeRaplSource(const SystemTree& tree, Kernel& kernel,
                                             std::unique_ptr<MsrReader> registers,
                                             const CpuidFunction& cpuid) {
  return std::make_unique<RaplSource>(tree, &kernel, std::move(registers), cpuid);
}

std::unique_ptr<DeviceSource> MakeLoadSource(const SystemTree& tree,
                                             std::unique_ptr<MsrReader> registers,
                                             const CpuidFunction& cpuid) {
  return std::make_unique<RaplSource>(tree, nullptr, std::move(registers), cpuid);
}

std::unique_ptr<DeviceSource> MakeRaplSource(const SystemTree& tree, Kernel& kernel) {
  // A recorded tree is that of another machine, whose CPUID is not this one's.
  return MakeRaplSource(tree, kernel, std::make_unique<DeviceMsrReader>(tree),
                        tree.is_host() ? HostCpuid() : NoCpuid());
}

std::unique_ptr<DeviceSource> MakeLoadSource(const SystemTree& tree) {
  return MakeLoadSource(tree, std::make_unique<DeviceMsrReader>(tree),
                        tree.is_host() ? HostCpuid() : NoCpuid());
}

}  // namespace csink
