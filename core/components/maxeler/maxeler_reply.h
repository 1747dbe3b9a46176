#pragma once

#include <optional>
#include <string_view>
#include <vector>

/// File: what MaxelerOS's daemon answers, as text, to numbers. The text is foreign bytes: what is
/// not there or no finite number gives nothing, never a fault.
///
/// The forms are those that MAX3 cards with MaxelerOS 2014 and later give: an array with one object
/// {"success": ..., "data": {"engineN": {...}}}, and lines of NAME=VALUE, of the hardware monitor.

namespace csink::maxeler {

/// A card's supplies; in the order of APAPI's events.
enum Rail : unsigned char { kVcc10, kVcc15, kVcc25, kImgt10, kImgt12, kMgt10, kMgt12, kRails };

struct CardPower {
  std::optional<double> card_w;          ///< power_usage
  std::optional<double> rail_w[kRails];  ///< What the regulators take: V * A / their efficiency
};

/// Answer to get_power_data, for engines 0 to `engines` - 1. Empty: no such answer.
std::vector<CardPower> ParsePower(std::string_view reply, unsigned engines);
/// Answer to get_computation_utilization_data, in percent. Empty: no such answer.
std::vector<std::optional<double>> ParseUsage(std::string_view reply, unsigned engines);

struct CardTemperature {
  std::optional<double> main, interface_fpga;  ///< degC
};
/// Answer of the hardware monitor for one card.
CardTemperature ParseTemperature(std::string_view reply);

}  // namespace csink::maxeler
