#include "symbolizer/demangle/rust_v0_literals.h"

#include "symbolizer/demangle/punycode.h"

namespace csink::symbolizer::rust_v0 {
namespace {

/// Appends a character with Rust's escapes for control characters, the backslash and `quote`.
/// Returns false if it is no Unicode scalar value.
bool AppendEscaped(std::string& text, char32_t c, char quote) {
  switch (c) {
    case '\0':
      text += "\\0";
      return true;
    case '\t':
      text += "\\t";
      return true;
    case '\n':
      text += "\\n";
      return true;
    case '\r':
      text += "\\r";
      return true;
    case '\\':
      text += "\\\\";
      return true;
    default:
      break;
  }
  if (c == static_cast<char32_t>(quote)) text += '\\';
  if (c >= 0x20 && c != 0x7f) return AppendUtf8(text, c);
  constexpr char kDigits[] = "0123456789abcdef";
  text += "\\u{";
  if (c >= 0x10) text += kDigits[c >> 4 & 15];
  text += kDigits[c & 15];
  text += '}';
  return true;
}

}  // namespace

std::optional<std::uint64_t> ValueOf(std::string_view digits) {
  // Leading zeros do not count towards the 16 digits of 64 bits.
  while (!digits.empty() && digits[0] == '0') digits.remove_prefix(1);
  if (digits.size() > 16) return std::nullopt;
  std::uint64_t value = 0;
  for (const char c : digits) {
    value = value * 16 + static_cast<std::uint64_t>(c <= '9' ? c - '0' : c - 'a' + 10);
  }
  return value;
}

std::optional<std::string> BoolLiteral(std::string_view digits) {
  const auto value = ValueOf(digits);
  if (!value || *value > 1) return std::nullopt;
  return *value != 0 ? "true" : "false";
}

std::optional<std::string> CharLiteral(std::string_view digits) {
  const auto value = ValueOf(digits);
  if (!value || *value > 0x10ffff) return std::nullopt;
  std::string text;
  if (!AppendEscaped(text, static_cast<char32_t>(*value), '\'')) return std::nullopt;
  return "'" + text + "'";
}

std::optional<std::string> StringLiteral(std::string_view digits) {
  if (digits.size() % 2 != 0) return std::nullopt;
  std::string text = "\"";
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    const char byte = static_cast<char>(*ValueOf(digits.substr(i, 2)));
    // Bytes of multi-byte UTF-8 sequences are copied; control characters and quotes are escaped.
    if ((static_cast<unsigned char>(byte) & 0x80) != 0) {
      text += byte;
    } else {
      AppendEscaped(text, static_cast<char32_t>(byte), '"');
    }
  }
  return text + "\"";
}

}  // namespace csink::symbolizer::rust_v0
