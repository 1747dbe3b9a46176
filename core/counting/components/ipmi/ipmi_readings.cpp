#include "core/counting/components/ipmi/ipmi_readings.h"

#include <errno.h>

// File: each function sends one command and takes its value out of the answer, after a check of the
// answer's length: BMCs differ in how much they send.

namespace csink {
namespace {

// Network functions and commands of the requests below.
// IPMI 2.0, appendix G, has the network functions and commands; group extension DCh is DCMI's, 30h
// is for manufacturers.
constexpr std::uint8_t kSensorEvent = 0x04, kGetReading = 0x2D;
constexpr std::uint8_t kGroup = 0x2C, kGetPower = 0x02, kDcmi = 0xDC;
constexpr std::uint8_t kApp = 0x06, kGetDeviceId = 0x01;
constexpr std::uint8_t kDellOem = 0x30, kDellPower = 0xB3, kDellEnergy = 0x9C;
constexpr unsigned kDellNumber = 674;  // IANA's enterprise number
constexpr std::uint64_t kNanojoulesPerWattHour = 3'600'000'000'000;

// BMCs report 0xFFFF while they have no value (the power supplies restart, or a sensor is absent).
Result<std::uint64_t> Plausible(unsigned watts) {
  if (watts == 0xFFFF) return Error{Errc::kCorrupt, ENODATA, "the BMC reports 65535 W: no value"};
  return std::uint64_t{watts};
}

Error TooShort() { return {Errc::kCorrupt, EPROTO, "the BMC's answer is too short"}; }

}  // namespace

Result<double> ReadSensor(IpmiTalk& talk, VendorSteps& steps, const IpmiSensor& sensor) {
  const auto answer = talk.Ask(steps, kSensorEvent, kGetReading, {sensor.number}, sensor.lun);
  if (!answer) return answer.error();
  if (answer->size() < 2) return TooShort();
  const std::uint8_t state = (*answer)[1];
  // Bits 6 and 5 of the second byte: scanning is enabled; the reading is not available.
  const bool scanned = state & 0x40, unavailable = state & 0x20;
  if (!scanned || unavailable) {
    return Error{Errc::kSystem, ENODATA, "the BMC has no current reading of this sensor"};
  }
  return sensor.Value((*answer)[0]);
}

Result<std::uint64_t> ReadDcmiPower(IpmiTalk& talk, VendorSteps& steps) {
  constexpr std::uint8_t kNow = 1;
  const auto answer = talk.Ask(steps, kGroup, kGetPower, {kDcmi, kNow, 0, 0});
  if (!answer) return answer.error();
  // The answer: group, power now, minimum, maximum and average (words), time, period, state.
  if (answer->size() < 3) return TooShort();
  // Bit 6: power measurement is active.
  constexpr std::size_t kState = 17;
  const bool measured = answer->size() <= kState || ((*answer)[kState] & 0x40);
  if ((*answer)[0] != kDcmi || !measured) {
    return Error{Errc::kUnsupported, ENOSYS, "the BMC does not measure the server's power"};
  }
  return Plausible(Word(*answer, 1));
}

bool IsDell(IpmiTalk& talk, VendorSteps& steps) {
  const auto answer = talk.Ask(steps, kApp, kGetDeviceId, {});
  // Three bytes, least significant first.
  constexpr std::size_t kManufacturer = 6;
  return answer && answer->size() >= kManufacturer + 3 &&
         (Word(*answer, kManufacturer) | static_cast<unsigned>((*answer)[kManufacturer + 2])
                                             << 16) == kDellNumber;
}

Result<std::uint64_t> ReadDellPower(IpmiTalk& talk, VendorSteps& steps) {
  // The bytes are those of Dell's own tools (ipmitool delloem powermonitor).
  const auto answer = talk.Ask(steps, kDellOem, kDellPower, {0x0A, 0x00});
  if (!answer) return answer.error();
  if (answer->size() < 2) return TooShort();
  return Plausible(Word(*answer, 0));
}

Result<std::uint64_t> ReadDellEnergy(IpmiTalk& talk, VendorSteps& steps) {
  const auto answer = talk.Ask(steps, kDellOem, kDellEnergy, {0x07, 0x01});
  if (!answer) return answer.error();
  if (answer->size() < 8) return TooShort();
  return DoubleWord(*answer, 4) * kNanojoulesPerWattHour;  // after the time of the last reset
}

}  // namespace csink
