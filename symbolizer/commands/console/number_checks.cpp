#include "symbolizer/commands/console/number_checks.h"

#include <CLI/CLI.hpp>
#include <cmath>
#include <sstream>
#include <string>

#include "core/util/parse.h"

namespace csink::tool {
namespace {

/// "0 to 100"; std::to_string would print 0.000000.
std::string Words(double low, double high) {
  std::ostringstream out;
  // Without a decimal point for whole numbers, and with all digits of 1e6.
  out.precision(10);
  out << low << " to " << high;
  return out.str();
}

}  // namespace

CLI::Validator NumberIn(double low, double high) {
  const std::string range = Words(low, high);
  const auto check = [low, high, range](const std::string& text) {
    double number = 0;
    // The same conversion that CLI11 applies later, so that both agree.
    const bool is_number = CLI::detail::lexical_cast(text, number);
    if (is_number && std::isfinite(number) && number >= low && number <= high) return std::string();
    // CLI11 prints the text that a validator returns; "" accepts the value.
    return text + " is not a number from " + range;
  };
  return {check, range};
}

CLI::Validator CountUpTo(std::uint64_t high) {
  const auto check = [high](const std::string& text) {
    const auto number = ParseUnsigned(text);
    // CLI11 passes this word for a flag without a value.
    if (text == "true" || (number && *number <= high)) return std::string();
    return text + " is not a whole number from 0 to " + std::to_string(high);
  };
  return {check, ""};
}

}  // namespace csink::tool
