#include <algorithm>
#include <cerrno>
#include <optional>
#include <utility>

#include "core/counting/components/device/device_counter.h"
#include "core/counting/components/device/device_file.h"
#include "core/counting/components/device/device_sources.h"
#include "core/counting/components/device/parted_source.h"
#include "core/machine/clocks.h"
#include "core/util/parse.h"

/// File: the cray_pm component: energy and power of a node of HPE Cray, by the files of
/// /sys/cray/pm_counters ("power", "energy", "cpu_energy", "memory_power", "accel0_energy", ...).
/// A file has a value, its unit and the time of the value: "5123456 J 1669992345678901 us". The
/// node's controller updates the files ten times a second (HPE Cray EX, "pm_counters").

namespace csink {
namespace {

constexpr std::string_view kFolder = "/sys/cray/pm_counters/";
// More than any node draws.
constexpr std::uint64_t kMostWattsOfNode = 100'000;
// The controller updates the files every 0.1 s. Where it is busy or restarts, seconds pass.
constexpr std::uint64_t kMostAgeNs = 10'000'000'000;

struct Entry {
  std::uint64_t value = 0;
  std::string_view unit;
  std::optional<std::uint64_t> time;  ///< In the controller's us; firmware of old has none
};

// nullopt: the text is no entry.
std::optional<Entry> Parse(std::string_view text) {
  text = Trimmed(text.substr(0, text.find('\n')));
  Entry entry;
  const Result<std::uint64_t> value = ParseUnsigned(NextToken(text, ' '));
  if (!value) return std::nullopt;
  entry.value = *value;
  entry.unit = NextToken(text, ' ');
  if (entry.unit != "J" && entry.unit != "W") return std::nullopt;
  if (const Result<std::uint64_t> time = ParseUnsigned(NextToken(text, ' '))) entry.time = *time;
  return entry;
}

class CounterPart final : public ReadingPart {
 public:
  struct Reading {
    DeviceFile file;
    std::optional<DeviceCounter> energy;  ///< nullopt: a power
    std::optional<std::uint64_t> time;    ///< Of the last value
    std::uint64_t changed_ns = 0;         ///< When `time` was seen first
  };
  explicit CounterPart(DeviceClock clock) : clock_(clock) {}
  std::vector<Reading> readings;

  Result<std::uint64_t> Value(std::uint32_t index) noexcept override {
    Reading& reading = readings[index];
    const Result<std::string_view> text = reading.file.Text();
    if (!text) return text.error();
    const std::optional<Entry> entry = Parse(*text);
    if (!entry || (entry->unit == "J") != reading.energy.has_value()) {
      return Error{Errc::kCorrupt, 0, "a file of /sys/cray/pm_counters has no value"};
    }
    const std::uint64_t now = clock_();
    if (entry->time != reading.time || !entry->time) {
      reading.time = entry->time;
      reading.changed_ns = now;
    } else if (now - reading.changed_ns > kMostAgeNs) {
      // Otherwise a controller that hangs would look like a node that uses nothing.
      return Error{Errc::kSystem, ETIMEDOUT,
                   "the node's controller has not updated /sys/cray/pm_counters for 10 s"};
    }
    if (!reading.energy) {
      if (entry->value <= kMostWattsOfNode) return entry->value;
      return Error{Errc::kCorrupt, 0, "/sys/cray/pm_counters reports an impossible power"};
    }
    return Judge(reading.energy->Take(entry->value, now),
                 "an energy of /sys/cray/pm_counters stepped back, or grew by more than a node can "
                 "use");
  }

 private:
  const DeviceClock clock_;
};

class CrayPmSource final : public PartedSource {
 public:
  CrayPmSource(const SystemTree& tree, DeviceClock clock)
      : tree_(tree), clock_(clock ? clock : MonotonicNs) {}

  Result<void> Open(std::string& reason) override {
    auto part = std::make_unique<CounterPart>(clock_);
    part_ = part.get();
    AddPart(std::move(part));
    for (const std::string& name : tree_.Names(kFolder)) AddFile(name);
    if (!events().empty()) return {};
    reason = missing_.empty()
                 ? "there is no /sys/cray/pm_counters with energies: only nodes of HPE Cray have it"
                 : missing_;
    return Error{missing_.empty() ? Errc::kNoEvent : Errc::kPermission, 0,
                 "there are no pm_counters"};
  }
  std::string missing() const override { return missing_; }

 private:
  void AddFile(const std::string& name) {
    // Limits are no readings; the other files (freshness, version, ...) have no unit J or W.
    if (name.ends_with("_cap")) return;
    const std::string path = std::string(kFolder) + name;
    Result<DeviceFile> file = DeviceFile::Open(tree_, path);
    if (!file && file.error().code == Errc::kPermission) missing_ = path + " may not be read";
    if (!file) return;
    const Result<std::string_view> text = file->Text();
    const std::optional<Entry> entry = text ? Parse(*text) : std::nullopt;
    if (!entry) return;
    const bool is_energy = entry->unit == "J";
    DeviceEvent event;
    event.name = NameInEvent(name);
    event.description =
        is_energy ? "Energy used, by the node's controller" : "Power, by the node's controller";
    event.units = is_energy ? "J" : "W";
    event.accumulates = is_energy;
    CounterPart::Reading reading{std::move(*file), std::nullopt, std::nullopt, 0};
    if (is_energy) {
      event.most_per_second = static_cast<double>(kMostWattsOfNode);
      reading.energy.emplace(DeviceCounter::Limits{.most_per_second = event.most_per_second});
    }
    AddEvent(std::move(event), part_, static_cast<std::uint32_t>(part_->readings.size()));
    part_->readings.push_back(std::move(reading));
  }

  const SystemTree tree_;
  const DeviceClock clock_;
  std::string missing_;
  CounterPart* part_ = nullptr;  ///< Owned by PartedSource; set by Open
};

}  // namespace

std::unique_ptr<DeviceSource> MakeCrayPmSource(const SystemTree& tree, DeviceClock clock) {
  return std::make_unique<CrayPmSource>(tree, clock);
}

}  // namespace csink
