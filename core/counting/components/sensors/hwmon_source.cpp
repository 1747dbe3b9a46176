#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <utility>

#include "core/counting/components/device/device_counter.h"
#include "core/counting/components/device/device_file.h"
#include "core/counting/components/device/device_sources.h"
#include "core/counting/components/device/parted_source.h"
#include "core/machine/clocks.h"
#include "core/util/parse.h"

/// File: the components hwmon and coretemp: readings of the drivers of the kernel's hardware
/// monitoring (Documentation/hwmon/sysfs-interface.rst), files of the folders
/// /sys/class/hwmon/hwmonN. hwmon has power and energy, by the driver's name. Among them are
/// amd_energy, amdgpu, i915, xe, the power meters of ACPI (arm64 servers) and the sensors of
/// boards. coretemp has voltages, temperatures and fans, with the names that PAPI 7 gives them: the
/// folder and the file.

namespace csink {
namespace {

constexpr std::string_view kFolder = "/sys/class/hwmon/";
constexpr std::string_view kPrefix = "hwmon";
// More than any device that a driver of hwmon measures, a whole server included.
constexpr std::int64_t kMostMicrowatts = 100'000'000'000;

// One kind of file: "power", its number, "_average".
struct Kind {
  std::string_view begin;
  std::string_view end;
  const char* units;
  const char* description;
  bool accumulates;
  std::int64_t most;  ///< Of a reading that does not accumulate: beyond it, it is a failed one
};
constexpr Kind kPowers[] = {
    {"energy", "_input", "uJ", "Energy used", true, 0},
    {"power", "_average", "uW", "Power, averaged by the device", false, kMostMicrowatts},
    {"power", "_input", "uW", "Power", false, kMostMicrowatts},
};
// More than any of these can be: 10 kV, 10,000 °C, a million turns a minute.
constexpr Kind kBoardReadings[] = {
    {"in", "_input", "mV", "Voltage", false, 10'000'000},
    {"temp", "_input", "m°C", "Temperature", false, 10'000'000},
    {"fan", "_input", "RPM", "Speed of a fan", false, 1'000'000},
};

// What a component reads, and how it is called.
struct Choice {
  std::span<const Kind> kinds;
  bool by_driver;  ///< Events are named by the driver, "amdgpu:power1_average"; else by the folder
  const char* nothing;  ///< The sentence for a machine without such files
};
constexpr Choice kHwmon = {kPowers, true, "no driver in /sys/class/hwmon reports power or energy"};
constexpr Choice kCoretemp = {
    kBoardReadings, false,
    "no driver in /sys/class/hwmon reports temperatures, voltages or fans (modules coretemp, "
    "k10temp, nct6775, ...)"};

// The number of "power12_average"; nullopt: the file is of another kind.
std::optional<std::uint64_t> NumberIn(std::string_view file, const Kind& kind) {
  if (!file.starts_with(kind.begin) || !file.ends_with(kind.end)) return std::nullopt;
  if (file.size() <= kind.begin.size() + kind.end.size()) return std::nullopt;
  file.remove_prefix(kind.begin.size());
  file.remove_suffix(kind.end.size());
  const Result<std::uint64_t> number = ParseUnsigned(file);
  return number ? std::optional(*number) : std::nullopt;
}

class FilePart final : public ReadingPart {
 public:
  struct Reading {
    DeviceFile file;
    std::optional<DeviceCounter> energy;  ///< nullopt: a momentary value
    std::int64_t most = 0;                ///< Kind::most
  };
  std::vector<Reading> readings;

  Result<std::uint64_t> Value(std::uint32_t index) noexcept override {
    Reading& reading = readings[index];
    const Result<std::int64_t> now = reading.file.Number();
    if (!now) return now.error();
    if (!reading.energy) {
      // Below 0: a battery or a regulator that feeds back.
      if (std::llabs(*now) <= reading.most) return static_cast<std::uint64_t>(*now);
      return Error{Errc::kCorrupt, 0, "a sensor of hwmon reports an impossible value"};
    }
    if (*now < 0) return Error{Errc::kCorrupt, 0, "an energy counter of hwmon is negative"};
    return Judge(reading.energy->Take(static_cast<std::uint64_t>(*now), MonotonicNs()),
                 "an energy counter of hwmon stepped back, or grew by more than a device can use");
  }
};

class HwmonSource final : public PartedSource {
 public:
  HwmonSource(const SystemTree& tree, const Choice& choice) : tree_(tree), choice_(choice) {}

  Result<void> Open(std::string& reason) override {
    auto part = std::make_unique<FilePart>();
    part_ = part.get();
    AddPart(std::move(part));
    for (const auto& [number, entry] : Chips()) AddChip(entry);
    if (!part_->readings.empty()) return {};
    reason = missing_.empty() ? choice_.nothing : missing_;
    return Error{missing_.empty() ? Errc::kNoEvent : Errc::kPermission, 0,
                 "no sensor of hwmon has such a reading"};
  }
  std::string missing() const override { return missing_; }

 private:
  // By number: hwmon10 follows hwmon9.
  std::map<std::uint64_t, std::string> Chips() const {
    std::map<std::uint64_t, std::string> chips;
    for (const std::string& entry : tree_.Names(kFolder)) {
      if (!entry.starts_with(kPrefix)) continue;
      const auto number = ParseUnsigned(std::string_view(entry).substr(kPrefix.size()));
      if (number) chips.emplace(*number, entry);
    }
    return chips;
  }

  void AddChip(const std::string& entry) {
    const std::string folder = std::string(kFolder) + entry;
    const std::string driver = NameInEvent(tree_.Line(folder + "/name"));
    if (driver.empty()) return;
    // Kind, number, file.
    std::vector<std::tuple<std::size_t, std::uint64_t, std::string>> files;
    for (const std::string& file : tree_.Names(folder)) {
      for (std::size_t kind = 0; kind < choice_.kinds.size(); ++kind) {
        if (const auto number = NumberIn(file, choice_.kinds[kind]))
          files.emplace_back(kind, *number, file);
      }
    }
    if (files.empty()) return;
    // The second amdgpu is "amdgpu_1". The numbers of hwmonN change between boots.
    const unsigned before = drivers_[driver]++;
    const std::string chip = before == 0 ? driver : driver + "_" + std::to_string(before);
    std::sort(files.begin(), files.end());
    for (const auto& [kind, number, file] : files) {
      DeviceEvent event;
      event.name = choice_.by_driver ? chip : entry;
      event.description = choice_.kinds[kind].description;
      if (!choice_.by_driver) event.description += ", by " + driver;
      AddFile(std::move(event), folder, choice_.kinds[kind], number, file);
    }
  }

  // `event` has the chip's name and the description without the sensor's label.
  void AddFile(DeviceEvent event, const std::string& folder, const Kind& kind, std::uint64_t number,
               const std::string& name) {
    const std::string path = folder + "/" + name;
    Result<DeviceFile> file = DeviceFile::Open(tree_, path);
    if (!file && file.error().code == Errc::kPermission) {
      missing_ =
          "not all files are readable: " + path +
          " is readable by root only (needs CAP_DAC_READ_SEARCH, or chmod a+r by an administrator)";
    }
    // Sensors that are absent have files that always answer with an error: no event for them.
    if (!file || !file->Number()) return;
    const std::string sensor = std::string(kind.begin) + std::to_string(number);
    const std::string label = tree_.Line(folder + "/" + sensor + "_label");
    event.name += ":" + sensor + std::string(kind.accumulates ? "" : kind.end);
    if (!label.empty()) event.description += " (" + label + ")";
    event.units = kind.units;
    event.value_type =
        kind.accumulates ? ComponentEvent::Type::kUnsigned : ComponentEvent::Type::kSigned;
    event.accumulates = kind.accumulates;
    FilePart::Reading reading{std::move(*file), std::nullopt, kind.most};
    if (kind.accumulates) {
      event.most_per_second = static_cast<double>(kMostMicrowatts);
      reading.energy.emplace(DeviceCounter::Limits{.most_per_second = event.most_per_second});
    }
    AddEvent(std::move(event), part_, static_cast<std::uint32_t>(part_->readings.size()));
    part_->readings.push_back(std::move(reading));
  }

  const SystemTree tree_;
  const Choice& choice_;
  std::string missing_;
  std::map<std::string, unsigned> drivers_;  ///< Number of chips by driver
  FilePart* part_ = nullptr;                 ///< Owned by PartedSource; set by Open
};

}  // namespace

std::unique_ptr<DeviceSource> MakeHwmonSource(const SystemTree& tree) {
  return std::make_unique<HwmonSource>(tree, kHwmon);
}

std::unique_ptr<DeviceSource> MakeCoretempSource(const SystemTree& tree) {
  return std::make_unique<HwmonSource>(tree, kCoretemp);
}

}  // namespace csink
