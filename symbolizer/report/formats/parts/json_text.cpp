#include "symbolizer/report/formats/parts/json_text.h"

namespace csink::report {

std::string JsonMilliseconds(std::uint64_t ns) {
  constexpr std::uint64_t kNsPerMs = 1'000'000;
  std::string text = std::to_string(ns / kNsPerMs);
  if (ns % kNsPerMs == 0) return text;
  // The added 1 keeps the leading zeros of the decimals. No double is involved, so that all digits
  // are right.
  const std::string decimals = std::to_string(kNsPerMs + ns % kNsPerMs);
  text += '.' + decimals.substr(1);
  while (text.back() == '0') text.pop_back();
  return text;
}

}  // namespace csink::report
