#include "core/counting/components/ipmi/sdr_record.h"

#include <algorithm>
#include <cmath>

// File: fields are taken at fixed offsets after the length was checked. The name stands at the end
// of the record, in one of four codings.

namespace csink {
namespace {

// Offsets in a full sensor record, including its header (IPMI 2.0, table 43-1).
enum At : std::size_t {
  kType = 3,
  kLength = 4,
  kOwner = 5,
  kOwnerLun = 6,
  kNumber = 7,
  kEntity = 8,
  kInstance = 9,
  kReadingType = 13,
  kUnits1 = 20,
  kBaseUnit = 21,
  kLinearization = 23,
  kM = 24,
  kMHigh = 25,
  kB = 26,
  kBHigh = 27,
  kExponents = 29,
  kName = 47,
};
// The length field counts the bytes behind the header.
constexpr std::size_t kHeaderBytes = 5;
constexpr std::uint8_t kFullSensor = 1, kBmc = 0x20, kThreshold = 1, kLinear = 0;

// A two's complement number of `bits` bits.
int Signed(unsigned value, unsigned bits) noexcept {
  const unsigned sign = 1u << (bits - 1);
  return static_cast<int>(value ^ sign) - static_cast<int>(sign);
}

// Unit codes: IPMI 2.0, table 43-15. Temperatures are converted to Celsius.
const char* UnitName(std::uint8_t code) noexcept {
  switch (code) {
    case 1:
    case 2:
    case 3:
      return "degC";
    case 4:
      return "V";
    case 5:
      return "A";
    case 6:
      return "W";
    case 7:
      return "J";
    case 18:
      return "rpm";
    case 19:
      return "Hz";
    default:
      return "";
  }
}

// Six-bit ASCII and BCD plus (section 43.15).
constexpr char kSixBit[] = " !\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_";
constexpr char kBcdPlus[] = "0123456789 -.:,_";

// Six bits for each character, least significant first, over byte boundaries.
std::string Packed6(std::span<const std::uint8_t> bytes) {
  std::string text;
  for (std::size_t bit = 0; bit + 6 <= bytes.size() * 8; bit += 6) {
    const unsigned low = bytes[bit / 8];
    const unsigned high = bit / 8 + 1 < bytes.size() ? bytes[bit / 8 + 1] : 0;
    text += kSixBit[((low | high << 8) >> (bit % 8)) & 63];
  }
  return text;
}

// Two characters in each byte.
std::string BcdPlus(std::span<const std::uint8_t> bytes) {
  std::string text;
  for (const std::uint8_t byte : bytes) {
    text += kBcdPlus[byte >> 4];
    text += kBcdPlus[byte & 15];
  }
  return text;
}

// Decodes a type/length field (IPMI 2.0, section 43.15): two bits of coding, five bits of length in
// bytes.
std::string NameOf(std::span<const std::uint8_t> field) {
  if (field.empty()) return {};
  const unsigned coding = field[0] >> 6;
  const std::span<const std::uint8_t> bytes =
      field.subspan(1, std::min<std::size_t>(field[0] & 31, field.size() - 1));
  if (coding == 1) return BcdPlus(bytes);
  if (coding == 2) return Packed6(bytes);
  return {bytes.begin(), bytes.end()};  // 8-bit text, possibly padded with NULs or blanks
}

// Makes a sensor's name usable as an event name: without blanks and separators.
std::string EventName(std::string name, std::uint8_t number) {
  name = name.substr(0, name.find('\0'));
  while (!name.empty() && name.back() == ' ') name.pop_back();
  for (char& c : name) {
    if (c <= ' ' || c >= 127 || c == ':' || c == ',' || c == '"') c = '_';
  }
  return name.empty() ? "SENSOR_" + std::to_string(number) : name;
}

// Sets the unit, its name, and the scale of a temperature, from the bits of units1 and the unit's
// code.
void ParseUnit(std::uint8_t units1, std::uint8_t base, IpmiSensor& sensor) {
  const bool percent = units1 & 1;
  // Rates (per minute) and products of units are shown as plain numbers.
  const bool plain = (units1 & 0x3E) == 0;
  sensor.units = percent ? "%" : plain ? UnitName(base) : "";
  if (percent || !plain) return;
  if (base >= 1 && base <= 3) sensor.unit = IpmiSensor::Unit::kCelsius;
  if (base == 2) sensor.scale = IpmiSensor::Scale::kFahrenheit;
  if (base == 3) sensor.scale = IpmiSensor::Scale::kKelvin;
  if (base == 6) sensor.unit = IpmiSensor::Unit::kWatt;
}

// 0xFF is -0.
int OnesComplement(std::uint8_t raw) noexcept {
  return raw & 0x80 ? static_cast<int>(raw) - 255 : raw;
}

}  // namespace

double IpmiSensor::Value(std::uint8_t raw) const noexcept {
  const int number = sign == Sign::kUnsigned         ? raw
                     : sign == Sign::kOnesComplement ? OnesComplement(raw)
                                                     : Signed(raw, 8);
  const double value =
      (m * number + b * std::pow(10.0, b_exponent)) * std::pow(10.0, result_exponent);
  if (scale == Scale::kFahrenheit) return (value - 32) * 5 / 9;
  return scale == Scale::kKelvin ? value - 273.15 : value;
}

std::optional<IpmiSensor> ParseSensor(std::span<const std::uint8_t> record) {
  if (record.size() < kName || record[kType] != kFullSensor) return std::nullopt;
  // Bytes behind the record's own length are no part of it.
  record = record.first(std::min(record.size(), kHeaderBytes + record[kLength]));
  if (record.size() < kName) return std::nullopt;
  // Sensors of other controllers are left out: they are on buses that the host may not reach.
  if (record[kOwner] != kBmc || record[kReadingType] != kThreshold) return std::nullopt;
  // 3: the sensor has no analog readings.
  const unsigned format = record[kUnits1] >> 6;
  // Linearization 0: the formula of Value. Others (logarithms, tables) are rare and left out.
  if (format == 3 || (record[kLinearization] & 0x7F) != kLinear) return std::nullopt;
  IpmiSensor sensor;
  sensor.number = record[kNumber];
  sensor.lun = record[kOwnerLun] & 3;
  sensor.entity = record[kEntity];
  sensor.instance = record[kInstance];
  sensor.sign = static_cast<IpmiSensor::Sign>(format);
  // Ten bits: eight in one byte, two at the top of the next.
  sensor.m = Signed(record[kM] | (record[kMHigh] & 0xC0u) << 2, 10);
  sensor.b = Signed(record[kB] | (record[kBHigh] & 0xC0u) << 2, 10);
  sensor.result_exponent = Signed(record[kExponents] >> 4, 4);
  sensor.b_exponent = Signed(record[kExponents] & 15u, 4);
  ParseUnit(record[kUnits1], record[kBaseUnit], sensor);
  sensor.name = EventName(NameOf(record.subspan(kName)), sensor.number);
  return sensor;
}

}  // namespace csink
