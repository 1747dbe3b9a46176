#pragma once

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/counting/components/ipmi/ipmi_device.h"

namespace csink::testing {

/// A full sensor record as a BMC has it (IPMI 2.0, table 43-1).
struct SensorBytes {
  std::uint8_t number = 1;
  std::uint8_t entity = 7, instance = 1;
  std::uint8_t sensor_type = 0x0B, base_unit = 6;
  int m = 1, b = 0, b_exponent = 0, result_exponent = 0;
  std::string name = "Pwr Consumption";
  std::uint8_t units1 = 0, linearization = 0, owner = 0x20, lun = 0, reading_type = 1, type = 1;

  std::vector<std::uint8_t> Record(std::uint16_t id) const {
    std::vector<std::uint8_t> r(48 + name.size());
    r[0] = static_cast<std::uint8_t>(id & 0xFF);
    r[1] = static_cast<std::uint8_t>(id >> 8);
    r[2] = 0x51;
    r[3] = type;
    r[5] = owner;
    r[6] = lun;
    r[7] = number;
    r[8] = entity;
    r[9] = instance;
    r[12] = sensor_type;
    r[13] = reading_type;
    r[20] = units1;
    r[21] = base_unit;
    r[23] = linearization;
    r[24] = static_cast<std::uint8_t>(m & 0xFF);
    r[25] = static_cast<std::uint8_t>((m >> 2) & 0xC0);
    r[26] = static_cast<std::uint8_t>(b & 0xFF);
    r[27] = static_cast<std::uint8_t>((b >> 2) & 0xC0);
    r[29] = static_cast<std::uint8_t>((result_exponent & 15) << 4 | (b_exponent & 15));
    r[47] = static_cast<std::uint8_t>(0xC0 | name.size());
    std::copy(name.begin(), name.end(), r.begin() + 48);
    r[4] = static_cast<std::uint8_t>(r.size() - 5);
    return r;
  }
};

/// A BMC that answers from memory, and badly where a test wants it.
class FakeBmc final : public IpmiDevice {
 public:
  using Bytes = std::vector<std::uint8_t>;

  std::map<std::uint16_t, Bytes> records;
  std::map<std::uint16_t, std::uint16_t> next_of;  ///< In place of the right successor
  std::map<std::uint8_t, Bytes> readings;          ///< Of a sensor: raw value, state
  std::size_t most_bytes = 255;                    ///< Of a record in one answer; more: 0xCA
  bool cuts_silently = false;                      ///< More than that: fewer bytes, no complaint
  int lost_reservations = 0;                       ///< The next pieces are refused with 0xC5
  int busy = 0;                                    ///< The next answers are 0xC0
  unsigned manufacturer = 343;
  std::optional<std::uint16_t> dcmi_power, dell_power;
  std::optional<std::uint32_t> dell_energy_wh;
  bool dcmi_active = true;
  std::set<std::pair<int, int>> silent;          ///< netfn, command: no answer
  std::map<std::pair<int, int>, Bytes> instead;  ///< netfn, command: this one
  std::size_t cut = 512;                         ///< Answers have no more bytes
  std::string refusal;                           ///< Open fails with it
  std::map<std::pair<int, int>, int> asked;
  int opened = 0;

  std::uint16_t Add(const SensorBytes& sensor, std::uint8_t raw, std::uint8_t state = 0xC0) {
    const auto id = static_cast<std::uint16_t>(records.size() * 3);  // not every number
    records[id] = sensor.Record(id);
    readings[sensor.number] = {raw, state};
    return id;
  }

  Result<void> Open(std::string& reason) override {
    ++opened;
    if (refusal.empty()) return {};
    reason = refusal;
    return Error{Errc::kPermission, EACCES, "refused"};
  }

  Result<std::size_t> Ask(const IpmiRequest& request, std::span<std::uint8_t> answer) override {
    const std::pair<int, int> what(request.netfn, request.command);
    ++asked[what];
    if (silent.count(what)) return Error{Errc::kSystem, ETIMEDOUT, "the BMC does not answer"};
    Bytes bytes =
        busy > 0 ? Bytes{0xC0} : AnswerTo(what, {request.data.begin(), request.data.end()});
    if (busy > 0) --busy;
    const auto other = instead.find(what);
    if (other != instead.end()) bytes = other->second;
    if (bytes.size() > cut) bytes.resize(cut);
    const std::size_t size = std::min(bytes.size(), answer.size());
    std::copy(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size), answer.begin());
    return size;
  }

 private:
  Bytes AnswerTo(std::pair<int, int> what, const Bytes& data) {
    if (what == std::pair(0x0A, 0x22)) return {0, 0x34, 0x12};
    if (what == std::pair(0x0A, 0x23)) return Sdr(data);
    if (what == std::pair(0x04, 0x2D)) return Reading(data);
    if (what == std::pair(0x06, 0x01)) return DeviceId();
    if (what == std::pair(0x2C, 0x02) && dcmi_power) return Dcmi(data);
    if (what == std::pair(0x30, 0xB3) && dell_power) {
      return {0, Low(*dell_power), High(*dell_power), 0, 0, 0, 0, 0};
    }
    if (what == std::pair(0x30, 0x9C) && dell_energy_wh) return Energy();
    return {0xC1};
  }

  static std::uint8_t Low(unsigned n) { return static_cast<std::uint8_t>(n & 0xFF); }
  static std::uint8_t High(unsigned n) { return static_cast<std::uint8_t>(n >> 8 & 0xFF); }

  Bytes Sdr(const Bytes& data) {
    const unsigned reservation = data[0] | data[1] << 8;
    const auto id = static_cast<std::uint16_t>(data[2] | data[3] << 8);
    std::size_t offset = data[4], count = data[5];
    if (offset != 0 && reservation != 0x1234) return {0xC5};
    if (count != 255 && lost_reservations > 0) return --lost_reservations, Bytes{0xC5};
    const auto found = id == 0 && !records.empty() ? records.begin() : records.find(id);
    if (found == records.end()) return {0xCB};
    const Bytes& record = found->second;
    if (count == 255) count = record.size();
    if (count > most_bytes && !cuts_silently) return {0xCA};
    count = std::min(count, most_bytes);
    offset = std::min(offset, record.size());
    count = std::min(count, record.size() - offset);
    const auto successor = std::next(found);
    unsigned next = successor == records.end() ? 0xFFFF : successor->first;
    if (next_of.count(found->first)) next = next_of[found->first];
    Bytes bytes = {0, Low(next), High(next)};
    bytes.insert(bytes.end(), record.begin() + static_cast<std::ptrdiff_t>(offset),
                 record.begin() + static_cast<std::ptrdiff_t>(offset + count));
    return bytes;
  }

  Bytes Reading(const Bytes& data) {
    const auto found = readings.find(data[0]);
    if (found == readings.end()) return {0xCB};
    Bytes bytes = {0};
    bytes.insert(bytes.end(), found->second.begin(), found->second.end());
    bytes.push_back(0xC0);
    return bytes;
  }

  Bytes DeviceId() const {
    return {0, 0x20, 1, 2, 3, 2, 0xBF, Low(manufacturer), High(manufacturer), 0, 0, 1};
  }

  Bytes Dcmi(const Bytes& data) const {
    if (data != Bytes{0xDC, 1, 0, 0}) return {0xC7};
    Bytes bytes = {0, 0xDC, Low(*dcmi_power), High(*dcmi_power)};
    bytes.resize(19);
    bytes[18] = dcmi_active ? 0x40 : 0;
    return bytes;
  }

  Bytes Energy() const {
    const std::uint32_t wh = *dell_energy_wh;
    Bytes bytes = {0, 9, 9, 9, 9, Low(wh), High(wh), Low(wh >> 16), High(wh >> 16)};
    bytes.resize(25);
    return bytes;
  }
};

}  // namespace csink::testing
