#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace csink {

/// Lower-case hexadecimal digits, two for each byte. Uses the heap: not for lean code.
inline std::string ToHex(std::span<const std::uint8_t> bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  // Reserved at once: digests and build-ids have known lengths.
  std::string text;
  text.reserve(2 * bytes.size());
  for (const std::uint8_t byte : bytes) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

}  // namespace csink
