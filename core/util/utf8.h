#pragma once

#include <cstddef>
#include <string_view>

namespace csink {

/// The size in bytes (1 to 4) of the UTF-8 character at offset `at` of `text`. 0 for no valid
/// character, and at or behind the end of the text. RFC 3629, section 4: surrogates (ED A0..BF),
/// overlong forms (C0, C1, E0 80..9F, F0 80..8F) and values above U+10FFFF (F4 90.., F5..FF) are
/// invalid.
/// Threads: any. Signals: safe.
constexpr std::size_t Utf8Bytes(std::string_view text, std::size_t at = 0) noexcept {
  // Behind the end stands a 0, which never continues a character: a character that the end cuts off
  // is invalid.
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : static_cast<unsigned char>(0);
  };
  const auto continues = [&](std::size_t i) { return (byte(i) & 0xC0) == 0x80; };
  const unsigned char first = byte(at);
  const unsigned char second = byte(at + 1);
  if (first < 0x80) return at < text.size() ? 1 : 0;
  // C0 and C1 would begin overlong forms of ASCII, F5 and above values beyond U+10FFFF; 80 to BF
  // only continue a character.
  if (first < 0xC2 || first > 0xF4 || !continues(at + 1)) return 0;
  if (first < 0xE0) return 2;
  if (!continues(at + 2)) return 0;
  if (first < 0xF0) {
    // E0 80..9F is overlong; ED A0..BF is a surrogate.
    const bool bad = (first == 0xE0 && second < 0xA0) || (first == 0xED && second >= 0xA0);
    return bad ? 0 : 3;
  }
  // F0 80..8F is overlong; F4 90..BF is above U+10FFFF.
  const bool bad = (first == 0xF0 && second < 0x90) || (first == 0xF4 && second >= 0x90);
  return bad || !continues(at + 3) ? 0 : 4;
}

/// As Utf8Bytes, but 0 for control characters, too: C0 (U+0000 to U+001F), U+007F, and C1 (U+0080
/// to U+009F, in UTF-8 C2 80..9F), since terminals may interpret them. Other characters without a
/// shape of their own (spaces, direction marks) are allowed.
/// Threads: any. Signals: safe.
constexpr std::size_t PrintableBytes(std::string_view text, std::size_t at) noexcept {
  const std::size_t bytes = Utf8Bytes(text, at);
  if (bytes == 0 || bytes > 2) return bytes;
  const auto first = static_cast<unsigned char>(text[at]);
  if (bytes == 1) return first >= 0x20 && first != 0x7F ? 1 : 0;
  // C2 80 to C2 9F are U+0080 to U+009F.
  return first == 0xC2 && static_cast<unsigned char>(text[at + 1]) < 0xA0 ? 0 : 2;
}

/// Whether the UTF-8 character changes the direction of the text behind it or ends its line
/// (Unicode standard annex 9): U+061C, U+200E, U+200F, U+2028 to U+202E, U+2066 to U+2069. A name
/// with them may show other text than it has. Threads: any. Signals: safe.
constexpr bool ChangesDirection(std::string_view character) noexcept {
  if (character.size() == 2) return character[0] == '\xd8' && character[1] == '\x9c';
  if (character.size() != 3 || character[0] != '\xe2') return false;
  const auto second = static_cast<unsigned char>(character[1]);
  const auto third = static_cast<unsigned char>(character[2]);
  if (second == 0x80) return third == 0x8e || third == 0x8f || (third >= 0xa8 && third <= 0xae);
  return second == 0x81 && third >= 0xa6 && third <= 0xa9;
}

/// Whether `text` is UTF-8 without control characters, so that it can be shown as one line without
/// change. The empty text is.
/// Threads: any. Signals: safe.
constexpr bool IsPrintableText(std::string_view text) noexcept {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t bytes = PrintableBytes(text, at);
    if (bytes == 0) return false;
    at += bytes;
  }
  return true;
}

}  // namespace csink
