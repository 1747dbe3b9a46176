#include <errno.h>

#include <bit>
#include <cmath>
#include <map>
#include <memory>
#include <utility>

#include "core/counting/components/device/device_sources.h"
#include "core/counting/components/ipmi/ipmi_readings.h"
#include "core/counting/components/ipmi/kernel_ipmi.h"
#include "core/counting/components/ipmi/sdr_repository.h"
#include "core/counting/components/ipmi/sensor_choice.h"
#include "core/counting/components/vendor/bounded_source.h"

// File: Open lists the sensors of the BMC's repository, reads each once, and chooses those for
// APAPI's three events. Each sensor is an event under its own name as well. A read asks for each
// sensor once, however many events need it, because each is a message to the BMC.

namespace csink {
namespace {

using Type = ComponentEvent::Type;

// A silent BMC costs a second for each sensor, and there may be hundreds.
constexpr int kMostSilent = 4;

// Where the value of an event comes from.
struct Place {
  // The command, or the sum of sensors.
  enum class Way : unsigned char { kDcmi, kDellPower, kDellEnergy, kSensors } way = Way::kSensors;
  std::vector<std::size_t> sensors = {};  ///< kSensors: indices; their values are added up
  Type type = Type::kSigned;
};

// The device's own timeout is a second for each answer; these are longer, so that a silent BMC is
// reported as an error before its thread is given up.
constexpr VendorPatience kIpmiPatience{
    5'000'000'000, 3'000'000'000,
    "ipmi: the kernel's IPMI driver does not answer; this process can no longer read its events "
    "(see the kernel's log)"};

/// Reads a server's power, energy and temperature and all its linear sensors from its BMC.
/// SYSTEM_POWER is that of DCMI where the BMC supports it, else that of Dell's own command, else
/// that of a sensor. Sensors that do not answer during Open do not become events.
class IpmiReader final : public VendorReader {
 public:
  explicit IpmiReader(IpmiDevice& device) : talk_(device) {}
  explicit IpmiReader(std::unique_ptr<IpmiDevice> device) : own_(std::move(device)), talk_(*own_) {}

  // Opening the kernel's device does not ask the BMC.
  Result<void> Look(std::string& reason) override { return talk_.device().Open(reason); }

  Result<void> Open(VendorSteps& steps, std::string& reason) override {
    Result<std::vector<IpmiSensor>> found = ReadSensors(talk_, steps);
    if (!found) {
      reason = std::string("the BMC's sensors cannot be listed: ") + found.error().what;
      return found.error();
    }
    int silent = 0;
    for (IpmiSensor& sensor : *found) {
      const Result<double> value = ReadSensor(talk_, steps, sensor);
      if (value) sensors_.push_back(std::move(sensor));
      // A single sensor may be unreachable. After kMostSilent of them the BMC is given up, because
      // each costs a second.
      if (value || value.error().sys_errno != ETIMEDOUT || ++silent < kMostSilent) continue;
      reason = std::string("the BMC's sensors cannot be read: ") + value.error().what;
      return value.error();
    }
    const bool dell = IsDell(talk_, steps);
    AddBoardPower();
    AddSystemPower(steps, dell);
    AddSystemTemperature();
    if (dell && ReadDellEnergy(talk_, steps)) {
      Add("SYSTEM_ENERGY", "Energy of the server, in steps of 1 Wh", "nJ",
          {Place::Way::kDellEnergy, {}, Type::kUnsigned});
      events_.back().accumulates = true;
    }
    AddSensors();
    if (!events_.empty()) return {};
    reason = "the BMC does not measure power and has no readable sensors";
    return Error{Errc::kUnsupported, ENODATA, "the BMC has no sensors"};
  }

  const std::vector<DeviceEvent>& events() const noexcept override { return events_; }

  Result<void> Read(VendorSteps& steps, std::span<const std::uint32_t> places, std::uint64_t* bits,
                    Error* errors) override {
    // A new read: no sensor has been asked yet.
    known_.assign(sensors_.size(), std::nullopt);
    for (std::size_t i = 0; i < places.size(); ++i) {
      const Result<std::uint64_t> value = ValueOf(steps, places_[places[i]]);
      errors[i] = value ? Error{} : value.error();
      if (value) bits[i] = *value;
      if (errors[i].sys_errno != ETIMEDOUT) continue;
      // All sensors are the same BMC's, and each question to a silent one takes a second.
      std::fill(errors + i, errors + places.size(), errors[i]);
      break;
    }
    return {};
  }

  // The sensors are the same BMC's.
  Result<void> Reconnect(VendorSteps&) override {
    std::string ignored;
    return talk_.device().Open(ignored);
  }

 private:
  // Adds an event and its place, which have the same index.
  void Add(std::string name, std::string description, std::string units, Place place) {
    DeviceEvent event;
    event.name = std::move(name);
    event.description = std::move(description);
    event.units = std::move(units);
    event.value_type = place.type;
    events_.push_back(std::move(event));
    places_.push_back(std::move(place));
  }

  // Nothing is added where the server has no such sensor.
  void AddBoardPower() {
    if (const auto board = ChooseBoardPower(sensors_)) {
      Add("BOARD_POWER", "Power of the system board: sensor " + sensors_[*board].name, "W",
          {Place::Way::kSensors, {*board}});
    }
  }

  // In the order of trust: DCMI is the standard for a server's power, Dell's command is one
  // vendor's, sensors must be guessed by their entity.
  void AddSystemPower(VendorSteps& steps, bool dell) {
    constexpr const char* kName = "SYSTEM_POWER";
    if (ReadDcmiPower(talk_, steps)) {
      return Add(kName, "Power of the server, by DCMI", "W", {Place::Way::kDcmi});
    }
    if (dell && ReadDellPower(talk_, steps)) {
      return Add(kName, "Power of the server, by Dell's BMC", "W", {Place::Way::kDellPower});
    }
    std::vector<std::size_t> chosen = ChooseSystemPower(sensors_);
    if (chosen.empty()) return;
    const std::string by =
        chosen.size() == 1 ? "sensor " + sensors_[chosen[0]].name : "the sum of its power supplies";
    Add(kName, "Power of the server: " + by, "W", {Place::Way::kSensors, std::move(chosen)});
  }

  void AddSystemTemperature() {
    if (const auto chosen = ChooseSystemTemperature(sensors_)) {
      Add("SYSTEM_TEMP", "Temperature of the server: sensor " + sensors_[*chosen].name, "degC",
          {Place::Way::kSensors, {*chosen}});
    }
  }

  // Adds each sensor under its own name; a second "Temp" becomes "Temp:2".
  void AddSensors() {
    std::map<std::string, unsigned> seen;
    // A sensor may be called SYSTEM_POWER.
    for (const DeviceEvent& event : events_) seen[event.name] = 1;
    for (std::size_t i = 0; i < sensors_.size(); ++i) {
      const IpmiSensor& sensor = sensors_[i];
      const unsigned copy = ++seen[sensor.name];
      Add(copy == 1 ? sensor.name : sensor.name + ":" + std::to_string(copy),
          "Sensor " + std::to_string(sensor.number) + " of entity " +
              std::to_string(sensor.entity) + "." + std::to_string(sensor.instance),
          sensor.units, {Place::Way::kSensors, {i}, Type::kFloating});
    }
  }

  // The value of one event, in its type. Uses and fills known_.
  Result<std::uint64_t> ValueOf(VendorSteps& steps, const Place& place) {
    if (place.way == Place::Way::kDcmi) return ReadDcmiPower(talk_, steps);
    if (place.way == Place::Way::kDellPower) return ReadDellPower(talk_, steps);
    if (place.way == Place::Way::kDellEnergy) return GrownEnergy(steps);
    double sum = 0;
    for (const std::size_t i : place.sensors) {
      if (!known_[i]) {
        Result<double> value = ReadSensor(talk_, steps, sensors_[i]);
        if (!value) return value.error();
        known_[i] = *value;
      }
      sum += *known_[i];
    }
    return place.type == Type::kFloating ? std::bit_cast<std::uint64_t>(sum)
                                         : static_cast<std::uint64_t>(std::llround(sum));
  }

  // Dell's energy counter, extended: other software may reset the counter at any time.
  Result<std::uint64_t> GrownEnergy(VendorSteps& steps) {
    const Result<std::uint64_t> now = ReadDellEnergy(talk_, steps);
    if (!now) return now.error();
    // After a reset the counter has counted from 0.
    energy_ += *now >= energy_before_ ? *now - energy_before_ : *now;
    energy_before_ = *now;
    return energy_;
  }

  const std::unique_ptr<IpmiDevice> own_;
  IpmiTalk talk_;
  std::vector<IpmiSensor> sensors_;
  std::vector<DeviceEvent> events_;
  std::vector<Place> places_;                 // by event
  std::vector<std::optional<double>> known_;  // by sensor: values already read in the present Read
  // In nJ: what Dell's counter has grown by, and its last value. The first read counts from 0.
  std::uint64_t energy_ = 0, energy_before_ = 0;
};

}  // namespace

std::unique_ptr<DeviceSource> MakeIpmiSource(IpmiDevice* device, const SystemTree& tree) {
  auto reader = device ? std::make_unique<IpmiReader>(*device)
                       : std::make_unique<IpmiReader>(MakeKernelIpmi(tree));
  return MakeBoundedSource(std::move(reader), kIpmiPatience);
}

}  // namespace csink
