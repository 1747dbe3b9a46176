#include "core/counting/components/ipmi/sensor_choice.h"

#include <algorithm>
#include <initializer_list>

// File: sensors have no names that could be relied on; their unit and the part that they belong to
// are standardised. Each function goes through the parts in the order in which they stand for the
// whole server.

namespace csink {
namespace {

using Unit = IpmiSensor::Unit;

// Entity ids: IPMI 2.0, table 43-13; the last three are DCMI's.
enum Entity : std::uint8_t {
  kProcessor = 3,
  kSystemBoard = 7,
  kMemoryModule = 8,
  kPowerSupply = 10,
  kPowerUnit = 19,
  kChassis = 23,
  kMemoryDevice = 32,
  kAirInlet = 55,
  kDcmiInlet = 64,
  kDcmiProcessor = 65,
  kDcmiBoard = 66,
};

// The first sensor with this unit that belongs to one of the entities; earlier entities take
// precedence.
std::optional<std::size_t> FirstOf(std::span<const IpmiSensor> sensors, Unit unit,
                                   std::initializer_list<std::uint8_t> entities) {
  for (const std::uint8_t entity : entities) {
    for (std::size_t i = 0; i < sensors.size(); ++i) {
      if (sensors[i].unit == unit && sensors[i].entity == entity) return i;
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::size_t> ChooseBoardPower(std::span<const IpmiSensor> sensors) {
  return FirstOf(sensors, Unit::kWatt, {kSystemBoard, kDcmiBoard});
}

// A single sensor is preferred to a sum; sensors of the whole server come before those of the
// board.
std::vector<std::size_t> ChooseSystemPower(std::span<const IpmiSensor> sensors) {
  if (const auto one =
          FirstOf(sensors, Unit::kWatt, {kChassis, kPowerUnit, kSystemBoard, kDcmiBoard})) {
    return {*one};
  }
  // Supplies without a common sensor: each supply's own, if there is one for each.
  std::vector<std::size_t> supplies;
  for (std::size_t i = 0; i < sensors.size(); ++i) {
    if (sensors[i].unit != Unit::kWatt || sensors[i].entity != kPowerSupply) continue;
    // By instance: IPMI numbers several parts of one kind so.
    const bool again = std::any_of(supplies.begin(), supplies.end(), [&](std::size_t other) {
      return sensors[other].instance == sensors[i].instance;
    });
    if (again) return {};  // input and output power of one supply: a sum would count both
    supplies.push_back(i);
  }
  return supplies;
}

std::optional<std::size_t> ChooseSystemTemperature(std::span<const IpmiSensor> sensors) {
  if (const auto found = FirstOf(sensors, Unit::kCelsius,
                                 {kSystemBoard, kDcmiBoard, kAirInlet, kDcmiInlet, kChassis})) {
    return found;
  }
  for (std::size_t i = 0; i < sensors.size(); ++i) {
    // The temperature of a part is not the server's.
    const std::uint8_t entity = sensors[i].entity;
    const bool part = entity == kProcessor || entity == kDcmiProcessor || entity == kMemoryModule ||
                      entity == kMemoryDevice;
    if (sensors[i].unit == Unit::kCelsius && !part) return i;
  }
  return std::nullopt;
}

}  // namespace csink
