#include "core/counting/components/vendor/maxeler_reply.h"

#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

// File: the replies come from another process and are checked like a file of a user: nothing is
// taken for granted, neither members nor types nor ranges. A value that is missing is nullopt, not
// 0.

namespace csink::maxeler {
namespace {

using Json = nlohmann::json;

// The daemon's name of a supply rail, by Rail.
struct RailName {
  const char* name;
  double efficiency;  // of its regulator, with libmeasure's values
};
constexpr RailName kRailNames[kRails] = {
    {"vcc1v0_core", 0.85}, {"vcc1v5_ddr", 0.85}, {"vcc2v5_aux", 0.85}, {"imgt_1v0", 0.65},
    {"imgt_1v2", 0.65},    {"mgt_1v0", 0.65},    {"mgt_1v2", 0.65}};

// A plausibility limit: no card has larger values, and events could not show them.
constexpr double kLargest = 1e6;

// nullopt: not finite, or implausible.
std::optional<double> Checked(double number) {
  if (!std::isfinite(number) || std::fabs(number) > kLargest) return std::nullopt;
  return number;
}

// The number at the beginning of a text, after blanks; text behind it is ignored.
std::optional<double> NumberIn(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  double number = 0;
  // from_chars has no locale: a German program would read "1.5" by strtod as 1.
  if (std::from_chars(text.data(), text.data() + text.size(), number).ec != std::errc()) {
    return std::nullopt;
  }
  return Checked(number);
}

// nullptr: no object, or no such member.
const Json* Member(const Json& object, const std::string& name) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(name);
  return found == object.end() ? nullptr : &*found;
}

// A member of `object` that is a number, or a text with a number.
std::optional<double> Number(const Json& object, const char* name) {
  const Json* const value = Member(object, name);
  if (!value) return std::nullopt;
  if (value->is_number()) return Checked(value->get<double>());
  if (value->is_string()) return NumberIn(value->get_ref<const std::string&>());
  return std::nullopt;
}

// "success" may be a truth value, a number or a text.
bool Succeeded(const Json& answer) {
  const Json* const success = Member(answer, "success");
  if (!success) return false;
  if (success->is_boolean()) return success->get<bool>();
  if (success->is_number()) return success->get<double>() != 0;
  return success->is_string() && success->get_ref<const std::string&>() == "true";
}

// The "data" object with the engines; nullptr: another kind of answer.
const Json* DataOf(const Json& document) {
  if (!document.is_array() || document.empty() || !Succeeded(document[0])) return nullptr;
  return Member(document[0], "data");
}

// The power of a rail is computed from voltage and current at the output of its regulator, and the
// regulator's efficiency.
CardPower PowerOf(const Json& engine) {
  CardPower power;
  power.card_w = Number(engine, "power_usage");
  const Json* const measurements = Member(engine, "measurements");
  if (!measurements || !measurements->is_array()) return power;
  for (const Json& one : *measurements) {
    const Json* const name = Member(one, "rail_name");
    const std::optional<double> volts = Number(one, "voltage"), amperes = Number(one, "current");
    if (!name || !name->is_string() || !volts || !amperes) continue;
    for (unsigned rail = 0; rail < kRails; ++rail) {
      if (name->get_ref<const std::string&>() != kRailNames[rail].name) continue;
      power.rail_w[rail] = Checked(*volts * *amperes / kRailNames[rail].efficiency);
    }
  }
  return power;
}

// Reads each engine's object by `read`. Empty: another kind of answer.
template <class T, class F>
std::vector<T> EachEngine(std::string_view reply, unsigned engines, F read) {
  // Without exceptions: a malformed reply becomes a discarded value, which has no members.
  const Json document = Json::parse(reply, nullptr, /*allow_exceptions=*/false);
  const Json* const data = DataOf(document);
  std::vector<T> all;
  for (unsigned i = 0; data && i < engines; ++i) {
    const Json* const engine = Member(*data, "engine" + std::to_string(i));
    all.push_back(engine ? read(*engine) : T{});
  }
  return all;
}

// The number behind `key`; nullopt: no such key.
std::optional<double> After(std::string_view reply, std::string_view key) {
  const std::size_t found = reply.find(key);
  return found == std::string_view::npos ? std::nullopt
                                         : NumberIn(reply.substr(found + key.size()));
}

}  // namespace

std::vector<CardPower> ParsePower(std::string_view reply, unsigned engines) {
  return EachEngine<CardPower>(reply, engines, PowerOf);
}

std::vector<std::optional<double>> ParseUsage(std::string_view reply, unsigned engines) {
  return EachEngine<std::optional<double>>(
      reply, engines, [](const Json& engine) { return Number(engine, "usage"); });
}

CardTemperature ParseTemperature(std::string_view reply) {
  // This answer is no JSON: lines NAME=VALUE with a unit behind the value.
  return {After(reply, "MAIN_FPGA_TEMPERATURE="), After(reply, "MAX3_IFCEFPGA_TEMPERATURE=")};
}

}  // namespace csink::maxeler
