#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "core/counting/components/device/device_counter.h"
#include "core/counting/components/device/device_file.h"
#include "core/counting/components/device/device_sources.h"
#include "core/counting/components/device/parted_source.h"
#include "core/machine/clocks.h"
#include "core/util/parse.h"

/// File: the hwmon component: power and energy of every driver of the kernel's hardware monitoring
/// (Documentation/hwmon/sysfs-interface.rst): power*_input, power*_average and energy*_input in the
/// folders /sys/class/hwmon/hwmonN. Among them are amd_energy, amdgpu, i915, xe, the power meters
/// of ACPI (arm64 servers) and the sensors of boards.

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
};
constexpr Kind kKinds[] = {
    {"energy", "_input", "uJ", "Energy used", true},
    {"power", "_average", "uW", "Power, averaged by the device", false},
    {"power", "_input", "uW", "Power", false},
};

// The number of "power12_average"; nullopt: the file is of another kind.
std::optional<std::uint64_t> NumberIn(std::string_view file, const Kind& kind) {
  if (!file.starts_with(kind.begin) || !file.ends_with(kind.end)) return std::nullopt;
  if (file.size() <= kind.begin.size() + kind.end.size()) return std::nullopt;
  file.remove_prefix(kind.begin.size());
  file.remove_suffix(kind.end.size());
  const Result<std::uint64_t> number = ParseUnsigned(file);
  return number ? std::optional(*number) : std::nullopt;
}

// Separators of event names and blanks become '_'.
std::string Clean(std::string name) {
  for (char& c : name) {
    if (c == ':' || c == ',' || c == ' ' || c == '=' || static_cast<unsigned char>(c) < ' ')
      c = '_';
  }
  return name;
}

class FilePart final : public ReadingPart {
 public:
  struct Reading {
    DeviceFile file;
    std::optional<DeviceCounter> energy;  ///< nullopt: a power
  };
  std::vector<Reading> readings;

  Result<std::uint64_t> Value(std::uint32_t index) noexcept override {
    Reading& reading = readings[index];
    const Result<std::int64_t> now = reading.file.Number();
    if (!now) return now.error();
    if (!reading.energy) {
      // Below 0: a battery or a regulator that feeds back.
      if (std::llabs(*now) <= kMostMicrowatts) return static_cast<std::uint64_t>(*now);
      return Error{Errc::kCorrupt, 0, "a sensor of hwmon reports an impossible power"};
    }
    if (*now < 0) return Error{Errc::kCorrupt, 0, "an energy counter of hwmon is negative"};
    return Judge(reading.energy->Take(static_cast<std::uint64_t>(*now), MonotonicNs()),
                 "an energy counter of hwmon stepped back, or grew by more than a device can use");
  }
};

class HwmonSource final : public PartedSource {
 public:
  explicit HwmonSource(const SystemTree& tree) : tree_(tree) {}

  Result<void> Open(std::string& reason) override {
    auto part = std::make_unique<FilePart>();
    part_ = part.get();
    AddPart(std::move(part));
    for (const auto& [number, entry] : Chips()) AddChip(std::string(kFolder) + entry);
    if (!part_->readings.empty()) return {};
    reason = missing_.empty() ? "no driver in /sys/class/hwmon reports power or energy" : missing_;
    return Error{missing_.empty() ? Errc::kNoEvent : Errc::kPermission, 0,
                 "no sensor of hwmon reports power or energy"};
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

  void AddChip(const std::string& folder) {
    const std::string driver = Clean(tree_.Line(folder + "/name"));
    if (driver.empty()) return;
    // Kind, number, file.
    std::vector<std::tuple<std::size_t, std::uint64_t, std::string>> files;
    for (const std::string& file : tree_.Names(folder)) {
      for (std::size_t kind = 0; kind < std::size(kKinds); ++kind) {
        if (const auto number = NumberIn(file, kKinds[kind]))
          files.emplace_back(kind, *number, file);
      }
    }
    if (files.empty()) return;
    // The second amdgpu is "amdgpu_1". The numbers of hwmonN change between boots.
    const unsigned before = drivers_[driver]++;
    const std::string chip = before == 0 ? driver : driver + "_" + std::to_string(before);
    std::sort(files.begin(), files.end());
    for (const auto& [kind, number, file] : files) {
      AddFile(folder, chip, kKinds[kind], number, file);
    }
  }

  void AddFile(const std::string& folder, const std::string& chip, const Kind& kind,
               std::uint64_t number, const std::string& name) {
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
    DeviceEvent event;
    event.name = chip + ":" + sensor + std::string(kind.accumulates ? "" : kind.end);
    event.description = kind.description;
    if (!label.empty()) event.description += " (" + label + ")";
    event.units = kind.units;
    event.value_type =
        kind.accumulates ? ComponentEvent::Type::kUnsigned : ComponentEvent::Type::kSigned;
    event.accumulates = kind.accumulates;
    FilePart::Reading reading{std::move(*file), std::nullopt};
    if (kind.accumulates) {
      event.most_per_second = static_cast<double>(kMostMicrowatts);
      reading.energy.emplace(DeviceCounter::Limits{.most_per_second = event.most_per_second});
    }
    AddEvent(std::move(event), part_, static_cast<std::uint32_t>(part_->readings.size()));
    part_->readings.push_back(std::move(reading));
  }

  const SystemTree tree_;
  std::string missing_;
  std::map<std::string, unsigned> drivers_;  ///< Number of chips by driver
  FilePart* part_ = nullptr;                 ///< Owned by PartedSource; set by Open
};

}  // namespace

std::unique_ptr<DeviceSource> MakeHwmonSource(const SystemTree& tree) {
  return std::make_unique<HwmonSource>(tree);
}

}  // namespace csink
