#include <algorithm>
#include <cstdlib>

#include "core/counting/components/device/device_file.h"
#include "core/counting/components/sensors/msr.h"
#include "core/counting/components/sensors/rapl_parts.h"
#include "core/util/parse.h"

// File: temperatures from the hwmon drivers of processors, or from Intel's registers. Drivers
// number their sensors as they like; the labels tell what a sensor measures.

namespace csink {
namespace {

constexpr std::string_view kHwmon = "/sys/class/hwmon/";
// Each sensor keeps a file open.
constexpr unsigned kMostSensors = 1024;

// One file tempN_input for each sensor, in thousandths of a degree.
class HwmonPart final : public ReadingPart {
 public:
  std::vector<DeviceFile> files;
  Result<std::uint64_t> Value(std::uint32_t index) noexcept override {
    const Result<std::int64_t> millidegrees = files[index].Number();
    if (!millidegrees) return millidegrees.error();
    return static_cast<std::uint64_t>(*millidegrees / 1000);
  }
};

// The number after `prefix`; -1: the text has another form.
int NumberBehind(std::string_view text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return -1;
  const Result<std::uint64_t> number = ParseUnsigned(text.substr(prefix.size()));
  return number && *number < 1u << 20 ? static_cast<int>(*number) : -1;
}

// Looks at one hwmon folder after the other and collects the sensors of processors.
class HwmonFinder {
 public:
  HwmonFinder(const SystemTree& tree, const ProcessorMap& processors)
      : tree_(tree), processors_(processors) {}

  // Folders of other drivers (disks, network cards) are ignored.
  void Look(const std::string& folder) {
    const std::string name = tree_.Line(folder + "/name");
    if (name == "coretemp") LookAtCoretemp(folder);
    if (name == "k10temp" || name == "zenpower") LookAtAmd(folder);
  }
  CoreReadings Take() {
    if (!found_.readings.empty()) found_.part = std::move(part_);
    return std::move(found_);
  }

 private:
  // coretemp: one folder for each package, with "Package id P" and "Core C", C being the kernel's
  // core_id.
  void LookAtCoretemp(const std::string& folder) {
    std::vector<std::pair<std::string, std::string>> inputs;
    int package = -1;
    for (const std::string& file : tree_.Names(folder)) {
      constexpr std::string_view kLabel = "_label";
      if (!file.starts_with("temp") || !file.ends_with(kLabel)) continue;
      const std::string sensor = file.substr(0, file.size() - kLabel.size());
      const std::string label = tree_.Line(folder + "/" + file);
      const int id = NumberBehind(label, "Package id ");
      if (id >= 0) package = processors_.PackageOfId(static_cast<unsigned>(id));
      // The package is known only when its label was read.
      inputs.emplace_back(label, folder + "/" + sensor + "_input");
    }
    if (package < 0 && processors_.packages.size() == 1) package = 0;  // Core 2 lacks that label
    if (package < 0) return;
    for (const auto& [label, input] : inputs) {
      if (label.starts_with("Package id ")) Add(package, -1, input);
      const int core = NumberBehind(label, "Core ");
      if (core >= 0) Add(package, CoreOf(package, static_cast<unsigned>(core)), input);
    }
  }

  // k10temp belongs to the processor's PCI device; hwmon numbers these in the order of the
  // packages.
  void LookAtAmd(const std::string& folder) {
    std::string input;
    // Tdie is the temperature; Tctl may have an offset, for the control of fans
    // (Documentation/hwmon/k10temp.rst).
    for (const char* wanted : {"Tdie", "Tctl"}) {
      for (unsigned sensor = 1; sensor <= 16 && input.empty(); ++sensor) {
        const std::string start = folder + "/temp" + std::to_string(sensor);
        if (tree_.Line(start + "_label") == wanted) input = start + "_input";
      }
    }
    if (input.empty()) input = folder + "/temp1_input";
    if (amd_packages_ < processors_.packages.size()) {
      Add(static_cast<int>(amd_packages_++), -1, input);
    }
  }

  // The number of a core in ProcessorMap by the kernel's core_id; kNoCore: it is not online.
  int CoreOf(int package, unsigned core_id) const {
    const auto& cores = processors_.packages[static_cast<std::size_t>(package)].cores;
    for (std::size_t c = 0; c < cores.size(); ++c) {
      if (cores[c].core_id == core_id) return static_cast<int>(c);
    }
    return kNoCore;
  }

  // Adds a sensor that can be read. Of several with one place the first is kept: dies repeat core
  // ids.
  void Add(int package, int core, const std::string& input) {
    if (core == kNoCore || found_.readings.size() == kMostSensors) return;
    const auto number = static_cast<unsigned>(package);
    for (const CoreReading& known : found_.readings) {
      if (known.package == number && known.core == core) return;
    }
    Result<DeviceFile> file = DeviceFile::Open(tree_, input);
    if (!file || !file->Number()) return;
    found_.readings.push_back({number, core});
    part_->files.push_back(std::move(*file));
  }

  static constexpr int kNoCore = -2;
  const SystemTree& tree_;
  const ProcessorMap& processors_;
  std::unique_ptr<HwmonPart> part_ = std::make_unique<HwmonPart>();
  CoreReadings found_;
  std::size_t amd_packages_ = 0;
};

// Target and status are read on the same CPU, in each read.
class MsrTemperaturePart final : public ReadingPart {
 public:
  struct Sensor {
    unsigned cpu;
    std::uint32_t number;
  };
  explicit MsrTemperaturePart(MsrReader& registers) : registers_(registers) {}
  std::vector<Sensor> sensors;

  Result<std::uint64_t> Value(std::uint32_t index) noexcept override {
    const Sensor& sensor = sensors[index];
    const Result<std::uint64_t> target = registers_.Read(sensor.cpu, kMsrTemperatureTarget);
    if (!target) return target.error();
    const Result<std::uint64_t> status = registers_.Read(sensor.cpu, sensor.number);
    if (!status) return status.error();
    // MSR_TEMPERATURE_TARGET bits 23:16, and the "digital readout" in bits 22:16 of the status:
    // degrees below the target (Intel SDM volume 3, 15.8.2, and volume 4).
    // In degrees Celsius.
    const std::int64_t highest = (*target >> 16) & 0xff;
    const std::int64_t below = (*status >> 16) & 0x7f;
    return static_cast<std::uint64_t>(highest - below);
  }

 private:
  MsrReader& registers_;
};

}  // namespace

CoreReadings OpenHwmonTemperatures(const SystemTree& tree, const ProcessorMap& processors) {
  HwmonFinder finder(tree, processors);
  // hwmonN are numbered in the order in which drivers found their devices.
  std::vector<int> numbers;  // sorted as numbers, so that hwmon10 comes after hwmon9
  for (const std::string& name : tree.Names(kHwmon)) {
    if (const int number = NumberBehind(name, "hwmon"); number >= 0) numbers.push_back(number);
  }
  std::sort(numbers.begin(), numbers.end());
  for (const int number : numbers) {
    finder.Look(std::string(kHwmon) + "hwmon" + std::to_string(number));
  }
  return finder.Take();
}

CoreReadings OpenMsrTemperatures(MsrReader& registers, const CpuIdentity& cpu,
                                 const ProcessorMap& processors) {
  CoreReadings found;
  if (cpu.vendor != CpuVendor::kIntel) return found;
  auto part = std::make_unique<MsrTemperaturePart>(registers);
  const auto add = [&](unsigned package, int core, unsigned asked, std::uint32_t number) {
    // A target of 0 is that of a hypervisor without temperatures.
    const Result<std::uint64_t> target = registers.Read(asked, kMsrTemperatureTarget);
    if (!target || ((*target >> 16) & 0xff) == 0 || !registers.Read(asked, number)) return;
    part->sensors.push_back({asked, number});
    found.readings.push_back({package, core});
  };
  for (unsigned p = 0; p < processors.packages.size(); ++p) {
    const auto& cores = processors.packages[p].cores;
    add(p, -1, cores.front().cpus.front(), kMsrPackageThermStatus);
    for (std::size_t c = 0; c < cores.size(); ++c) {
      add(p, static_cast<int>(c), cores[c].cpus.front(), kMsrThermStatus);
    }
  }
  if (!found.readings.empty()) found.part = std::move(part);
  return found;
}

}  // namespace csink
