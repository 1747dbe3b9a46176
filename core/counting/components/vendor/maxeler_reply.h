#pragma once

#include <optional>
#include <string_view>
#include <vector>

/// File: parses the answers of MaxelerOS's daemon. They are treated as untrusted input: a value
/// that is missing or not a finite number gives nullopt, never a fault.
///
/// The forms are those of MAX3 cards with MaxelerOS 2014 and later: an array with one object
/// {"success": ..., "data": {"engineN": {...}}}, and for the hardware monitor lines of NAME=VALUE.
/// Threads: any.

namespace csink::maxeler {

/// A card's supply rails, in the order of APAPI's events.
enum Rail : unsigned char { kVcc10, kVcc15, kVcc25, kImgt10, kImgt12, kMgt10, kMgt12, kRails };

/// Powers of one card; nullopt: the reply does not have the value.
struct CardPower {
  std::optional<double> card_w;          ///< power_usage
  std::optional<double> rail_w[kRails];  ///< Input power of the regulators: V * A / efficiency
};

/// Parses the answer to get_power_data for engines 0 to `engines` - 1; an engine that the answer
/// lacks has no values. Empty: not such an answer.
std::vector<CardPower> ParsePower(std::string_view reply, unsigned engines);
/// Parses the answer to get_computation_utilization_data; values in percent. Empty: not such an
/// answer.
std::vector<std::optional<double>> ParseUsage(std::string_view reply, unsigned engines);

/// Temperatures of one card.
struct CardTemperature {
  std::optional<double> main, interface_fpga;  ///< degC
};
/// Parses the hardware monitor's answer for one card, which is text. Every text is accepted.
CardTemperature ParseTemperature(std::string_view reply);

}  // namespace csink::maxeler
