#include <algorithm>
#include <optional>
#include <utility>

#include "core/counting/components/device/device_counter.h"
#include "core/counting/components/device/device_file.h"
#include "core/counting/components/device/device_sources.h"
#include "core/counting/components/device/parted_source.h"
#include "core/counting/components/sensors/powercap_zones.h"
#include "core/machine/clocks.h"
#include "core/util/parse.h"

/// File: the powercap component: the files of each zone. RAPL's zones have the event names of PAPI
/// 7; those of other controllers (arm-scmi, dtpm) have the controller before the zone. Energies
/// are extended over the wraps of the kernel's counter; the others are momentary values. A file
/// that is missing or cannot be read has no event.

namespace csink {
namespace {

// More than any zone stands for, a whole server included.
constexpr std::uint64_t kMostMicrowatts = 100'000'000'000;

// One line for each kind of file. constraint_0 is the long-term limit, constraint_1 the short-term
// one (Documentation/power/powercap/powercap.rst).
struct ZoneFile {
  const char* event;
  const char* file;
  const char* units;
  const char* description;
  // False: PAPI has the event for whole zones only.
  bool of_subzones;
  const char* alias;  ///< PAPI 7's own spelling where it differs; "" where it does not
};
// The first line is the energy; AddFile relies on that.
constexpr ZoneFile kFiles[] = {
    {"ENERGY_UJ", "energy_uj", "uJ", "Energy used", true, ""},
    {"MAX_ENERGY_RANGE_UJ", "max_energy_range_uj", "uJ", "Energy after which the counter wraps",
     true, ""},
    {"MAX_POWER_A_UW", "constraint_0_max_power_uw", "uW", "Highest long-term power limit", true,
     ""},
    {"POWER_LIMIT_A_UW", "constraint_0_power_limit_uw", "uW", "Long-term power limit", true, ""},
    {"TIME_WINDOW_A_US", "constraint_0_time_window_us", "us", "Time window of the long-term limit",
     true, ""},
    {"MAX_POWER_B_UW", "constraint_1_max_power_uw", "uW", "Highest short-term power limit", false,
     ""},
    {"POWER_LIMIT_B_UW", "constraint_1_power_limit_uw", "uW", "Short-term power limit", false, ""},
    {"TIME_WINDOW_B_US", "constraint_1_time_window_us", "us", "Time window of the short-term limit",
     false, "TIME_WINDOW_B"},
    {"ENABLED", "enabled", "", "1 if the zone's limits are enabled", true, ""},
    // RAPL has none; zones of dtpm have a power and no energy.
    {"POWER_UW", "power_uw", "uW", "Power", true, ""},
};

/// The files of all zones; energies are extended by a DeviceCounter. Values are in the file's own
/// unit.
class ZonePart final : public ReadingPart {
 public:
  struct Reading {
    DeviceFile file;
    std::optional<DeviceCounter> energy;  ///< nullopt: a momentary value
    bool is_power = false;
  };
  std::vector<Reading> readings;

  Result<std::uint64_t> Value(std::uint32_t index) noexcept override {
    Reading& reading = readings[index];
    const Result<std::int64_t> now = reading.file.Number();
    if (!now) return now.error();
    // No file of a zone has negative values.
    if (*now < 0) return Error{Errc::kCorrupt, 0, "a powercap zone reports a negative value"};
    const auto value = static_cast<std::uint64_t>(*now);
    if (reading.energy) {
      return Judge(
          reading.energy->Take(value, MonotonicNs()),
          "a powercap zone's energy is above its range, stepped back, or grew by more than "
          "a device can use");
    }
    if (reading.is_power && value > kMostMicrowatts) {
      return Error{Errc::kCorrupt, 0, "a powercap zone reports an impossible power"};
    }
    return value;
  }
};

/// The number at the end of a zone's name: the value of PAPI's NAME events. The name itself is in
/// the description.
class NamePart final : public ReadingPart {
 public:
  std::vector<std::uint64_t> numbers;
  Result<std::uint64_t> Value(std::uint32_t index) noexcept override { return numbers[index]; }
};

// "package-1" is 1; a name without a number at its end is 0.
std::uint64_t NumberOf(const std::string& name) {
  const std::size_t last = name.find_last_not_of("0123456789");
  const std::size_t start = last == std::string::npos ? 0 : last + 1;
  const Result<std::uint64_t> number = ParseUnsigned(std::string_view(name).substr(start));
  return number ? *number : 0;
}

class PowercapSource final : public PartedSource {
 public:
  explicit PowercapSource(const SystemTree& tree) : tree_(tree) {}

  Result<void> Open(std::string& reason) override {
    const std::vector<PowercapZone> zones = FindPowercapZones(tree_);
    if (zones.empty()) {
      reason =
          "no zones in /sys/class/powercap: the module intel_rapl_msr is not loaded, or the "
          "(virtual) machine's processor does not support RAPL";
      return Error{Errc::kNoEvent, 0, "there are no zones"};
    }
    auto files = std::make_unique<ZonePart>();
    auto names = std::make_unique<NamePart>();
    files_ = files.get();
    names_ = names.get();
    AddPart(std::move(files));
    AddPart(std::move(names));
    for (const PowercapZone& zone : zones) AddZone(zone);
    return {};
  }
  std::string missing() const override { return missing_; }

 private:
  void AddZone(const PowercapZone& zone) {
    // "ENERGY_UJ:ZONE0_SUBZONE1", "ENERGY_UJ:arm-scmi:ZONE0".
    std::string at = (zone.controller == "intel-rapl" ? ":" : ":" + zone.controller + ":") +
                     "ZONE" + std::to_string(zone.zone());
    for (std::size_t i = 1; i < zone.numbers.size(); ++i) {
      at += "_SUBZONE" + std::to_string(zone.numbers[i]);
    }
    for (const ZoneFile& file : kFiles) {
      if (!zone.is_subzone() || file.of_subzones) AddFile(zone, file, at);
    }
    DeviceEvent name;
    name.name = "NAME" + at;
    name.description = zone.name;
    AddEvent(std::move(name), names_, static_cast<std::uint32_t>(names_->numbers.size()));
    names_->numbers.push_back(NumberOf(zone.name));
  }

  void AddFile(const PowercapZone& zone, const ZoneFile& row, const std::string& at) {
    const std::string path = zone.folder + "/" + row.file;
    Result<DeviceFile> file = DeviceFile::Open(tree_, path);
    if (!file && file.error().code == Errc::kPermission) {
      missing_ =
          "not all files are readable: " + path +
          " is readable by root only (needs CAP_DAC_READ_SEARCH, or chmod a+r by an administrator)";
    }
    // Some zones have files that always answer with an error: no event for them.
    if (!file || !file->Number()) return;
    DeviceEvent event;
    event.name = row.event + at;
    // The zone's name tells what the number in the event's name stands for.
    event.description = std::string(row.description) + " (" + zone.name + ")";
    event.units = row.units;
    // Also "psys", the platform, which is one zone beside the packages.
    event.scope = ComponentEvent::Scope::kSocket;
    if (*row.alias) event.aliases.push_back(row.alias + at);
    ZonePart::Reading reading{std::move(*file), std::nullopt,
                              row.event == std::string_view("POWER_UW")};
    if (&row == &kFiles[0]) {
      const auto range = tree_.Number(zone.folder + "/max_energy_range_uj");
      event.accumulates = true;
      // Without a range only a controller's firmware knows the width: SCMI's counter has 64 bits.
      if (zone.controller != "intel-rapl" && (!range || *range == 0)) {
        event.most_per_second = static_cast<double>(kMostMicrowatts);
        reading.energy.emplace(DeviceCounter::Limits{.most_per_second = event.most_per_second});
      } else {
        const RaplLimits limits = RaplLimitsOf(tree_, zone);
        reading.energy.emplace(limits.counter);
        event.most_per_second = limits.most_per_second;
        event.longest_gap_ns = WrapNs(limits.counter.range, limits.most_per_second);
      }
    }
    AddEvent(std::move(event), files_, static_cast<std::uint32_t>(files_->readings.size()));
    files_->readings.push_back(std::move(reading));
  }

  const SystemTree tree_;
  std::string missing_;
  // Owned by PartedSource; set by Open.
  ZonePart* files_ = nullptr;
  NamePart* names_ = nullptr;
};

}  // namespace

std::unique_ptr<DeviceSource> MakePowercapSource(const SystemTree& tree) {
  return std::make_unique<PowercapSource>(tree);
}

}  // namespace csink
