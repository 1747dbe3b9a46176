/// File: any bytes as the answers of MaxelerOS's daemon; numbers that come out are finite.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "core/counting/components/vendor/maxeler_reply.h"

namespace {

void Check(const std::optional<double>& number) {
  if (number && !(std::fabs(*number) <= 1e12)) __builtin_trap();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const auto& power : csink::maxeler::ParsePower(text, 2)) {
    Check(power.card_w);
    for (const auto& rail : power.rail_w) Check(rail);
  }
  for (const auto& usage : csink::maxeler::ParseUsage(text, 2)) Check(usage);
  const auto temperature = csink::maxeler::ParseTemperature(text);
  Check(temperature.main);
  Check(temperature.interface_fpga);
  return 0;
}
