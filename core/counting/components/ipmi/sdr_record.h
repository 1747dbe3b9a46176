#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

/// File: what a sensor's record in the BMC's repository says: its name, unit and formula.

namespace csink {

/// A sensor with analog readings, from its full sensor record (IPMI 2.0, table 43-1, record type
/// 1). Owns its texts.
struct IpmiSensor {
  /// By which readings are asked for; unique with the LUN.
  std::uint8_t number = 0;
  std::uint8_t lun = 0;
  std::uint8_t entity = 0;    ///< The part that it measures, table 43-13
  std::uint8_t instance = 0;  ///< Which of several such parts
  enum class Unit : std::uint8_t { kOther, kCelsius, kWatt } unit = Unit::kOther;
  std::string units;  ///< Of Value(): "degC", "W", "V", "rpm", ...
  std::string name;   ///< As an event name: without blanks, never empty

  /// Converts a raw reading (section 36.3): (M * raw + B * 10^b_exponent) * 10^result_exponent.
  /// Temperatures are in Celsius.
  double Value(std::uint8_t raw) const noexcept;

  /// The factors M and B and their exponents, and how the raw reading is signed.
  int m = 0, b = 0, b_exponent = 0, result_exponent = 0;
  enum class Sign : std::uint8_t { kUnsigned, kOnesComplement, kTwosComplement } sign = {};
  /// How Value converts a temperature to Celsius.
  enum class Scale : std::uint8_t { kAsIs, kFahrenheit, kKelvin } scale = {};
};

/// Parses a whole record, including its header. Accepts any bytes. nullopt: another kind of record,
/// a sensor of another controller than the BMC, one without analog readings or without a linear
/// scale, or a malformed record.
std::optional<IpmiSensor> ParseSensor(std::span<const std::uint8_t> record);

}  // namespace csink
