#include "symbolizer/names/demangle/punycode.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace csink::symbolizer {
namespace {

// Parameters of Punycode (RFC 3492, section 5).
constexpr std::uint64_t kBase = 36;
constexpr std::uint64_t kThresholdMin = 1;
constexpr std::uint64_t kThresholdMax = 26;
constexpr std::uint64_t kSkew = 38;
constexpr std::uint64_t kDamp = 700;
constexpr std::uint64_t kInitialBias = 72;
constexpr std::uint64_t kInitialCode = 0x80;
/// Each character is inserted into the text, which takes time in proportion to its length.
constexpr std::size_t kMaxCharacters = 1024;

/// Adapts the bias after each number (RFC 3492, section 6.1).
std::uint64_t Adapt(std::uint64_t delta, std::uint64_t characters, bool is_first) {
  delta = is_first ? delta / kDamp : delta / 2;
  delta += delta / characters;
  std::uint64_t k = 0;
  while (delta > (kBase - kThresholdMin) * kThresholdMax / 2) {
    delta /= kBase - kThresholdMin;
    k += kBase;
  }
  return k + (kBase - kThresholdMin + 1) * delta / (delta + kSkew);
}

/// Reads one variable-length integer from the front of `text` (RFC 3492, section 3.3). Returns
/// false if the text ends before, or has another character than a-z and 0-9.
bool ReadDelta(std::string_view& text, std::uint64_t bias, std::uint64_t& delta) {
  delta = 0;
  std::uint64_t weight = 1;
  for (std::uint64_t k = kBase;; k += kBase) {
    // Weights above 32 bits only occur for values far beyond any code point, and could overflow.
    if (text.empty() || weight >> 32 != 0) return false;
    const char c = text[0];
    text.remove_prefix(1);
    std::uint64_t digit = 0;
    if (c >= 'a' && c <= 'z') {
      digit = static_cast<std::uint64_t>(c - 'a');
    } else if (c >= '0' && c <= '9') {
      digit = static_cast<std::uint64_t>(c - '0') + 26;
    } else {
      return false;
    }
    delta += digit * weight;
    const std::uint64_t threshold = k <= bias                   ? kThresholdMin
                                    : k >= bias + kThresholdMax ? kThresholdMax
                                                                : k - bias;
    if (digit < threshold) return true;
    weight *= kBase - threshold;
  }
}

}  // namespace

bool DecodePunycode(std::string_view basic, std::string_view extended, std::string& out) {
  std::vector<char32_t> text(basic.begin(), basic.end());
  std::uint64_t code = kInitialCode;
  std::uint64_t bias = kInitialBias;
  std::uint64_t at = 0;
  bool is_first = true;
  while (!extended.empty()) {
    std::uint64_t delta = 0;
    if (text.size() >= kMaxCharacters || !ReadDelta(extended, bias, delta)) return false;
    // `at` and `code` together are one number that counts insertions: position within the text,
    // then the code point (section 3.2).
    const std::uint64_t characters = text.size() + 1;
    at += delta;
    bias = Adapt(delta, characters, is_first);
    is_first = false;
    code += at / characters;
    at %= characters;
    if (code > 0x10ffff) return false;
    text.insert(text.begin() + static_cast<std::ptrdiff_t>(at), static_cast<char32_t>(code));
    ++at;
  }
  for (const char32_t c : text) {
    if (!AppendUtf8(out, c)) return false;
  }
  return true;
}

bool AppendUtf8(std::string& text, char32_t c) {
  if (c > 0x10ffff || (c >= 0xd800 && c < 0xe000)) return false;
  const auto add = [&text](char32_t byte) { text += static_cast<char>(byte); };
  if (c < 0x80) {
    add(c);
  } else if (c < 0x800) {
    add(0xc0 | c >> 6);
    add(0x80 | (c & 0x3f));
  } else if (c < 0x10000) {
    add(0xe0 | c >> 12);
    add(0x80 | (c >> 6 & 0x3f));
    add(0x80 | (c & 0x3f));
  } else {
    add(0xf0 | c >> 18);
    add(0x80 | (c >> 12 & 0x3f));
    add(0x80 | (c >> 6 & 0x3f));
    add(0x80 | (c & 0x3f));
  }
  return true;
}

}  // namespace csink::symbolizer
