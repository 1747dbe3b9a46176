#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace csink {

/// A sensor with analog readings, of its full sensor record (IPMI 2.0, table 43-1, record type 1).
struct IpmiSensor {
  std::uint8_t number = 0;
  std::uint8_t lun = 0;
  std::uint8_t entity = 0;    ///< What it belongs to, table 43-13
  std::uint8_t instance = 0;  ///< Which one of these
  enum class Unit : std::uint8_t { kOther, kCelsius, kWatt } unit = Unit::kOther;
  std::string units;  ///< "degC", "W", "V", "rpm", ...; of Value()
  std::string name;   ///< As events are named: no blanks; never empty

  /// The value of a raw reading (section 36.3), degrees always in Celsius.
  double Value(std::uint8_t raw) const noexcept;

  /// M, B and the exponents; how `raw` is signed.
  int m = 0, b = 0, b_exponent = 0, result_exponent = 0;
  enum class Sign : std::uint8_t { kUnsigned, kOnesComplement, kTwosComplement } sign = {};
  enum class Scale : std::uint8_t { kAsIs, kFahrenheit, kKelvin } scale = {};
};

/// A whole record, header included. Nothing: another kind of record, a sensor of another controller
/// than the BMC, one without readings or without a linear scale, or bytes that are none.
std::optional<IpmiSensor> ParseSensor(std::span<const std::uint8_t> record);

}  // namespace csink
