#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "symbolizer/names/demangle/punycode.h"
#include "symbolizer/names/demangle/rust_v0_printer.h"

namespace csink::symbolizer::rust_v0 {
namespace {

// Literals: constants in Rust's syntax from their hexadecimal digits. `digits` are 0-9 and a-f
// only, as Cursor::HexDigits returns them; leading zeros and no digits at all (the value 0) are
// accepted.

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

/// The value of the digits; nullopt if it does not fit into 64 bits.
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

/// "true" or "false"; nullopt if the value is neither 1 nor 0.
std::optional<std::string> BoolLiteral(std::string_view digits) {
  const auto value = ValueOf(digits);
  if (!value || *value > 1) return std::nullopt;
  return *value != 0 ? "true" : "false";
}

/// "'a'", with escapes for control characters and quotes; nullopt if the value is no Unicode scalar
/// value.
std::optional<std::string> CharLiteral(std::string_view digits) {
  const auto value = ValueOf(digits);
  if (!value || *value > 0x10ffff) return std::nullopt;
  std::string text;
  if (!AppendEscaped(text, static_cast<char32_t>(*value), '\'')) return std::nullopt;
  return "'" + text + "'";
}

/// "\"text\"", two digits for each byte; nullopt if their number is odd. Bytes above 0x7f are
/// copied: the text is UTF-8 if the name is valid, which is not checked.
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

}  // namespace

/// <const>: the tag of a basic type and its value; p is a placeholder. The letters are those of
/// BasicType: unsigned integers, signed integers, bool, char.
void Printer::Const(bool in_value) {
  const Level level(*this);
  const char tag = Next();
  switch (tag) {
    case 'p':
      Print("_");
      return;
    case 'h':
    case 't':
    case 'm':
    case 'y':
    case 'o':
    case 'j':
      Integer();
      return;
    case 'a':
    case 's':
    case 'l':
    case 'x':
    case 'n':
    case 'i':
      if (Eat('n')) Print("-");
      Integer();
      return;
    case 'b':
      return Literal(BoolLiteral(HexDigits()));
    case 'c':
      return Literal(CharLiteral(HexDigits()));
    case 'B':
      BackReference([this, in_value] { Const(in_value); });
      return;
    default:
      break;
  }
  // In a position where a type could also stand, a constant other than a literal is written in
  // braces.
  if (!in_value) Print("{");
  StructuredConst(tag);
  if (!in_value) Print("}");
}

/// Constants that are no integers: strings, references, arrays, tuples and values of structures and
/// enumerations (rustc book, "v0 Symbol Format").
void Printer::StructuredConst(char tag) {
  switch (tag) {
    case 'e':
      Print("*");
      Literal(StringLiteral(HexDigits()));
      break;
    case 'R':
      if (Eat('e')) {  // A constant &str is shown as a literal, not as a reference to a literal
        Literal(StringLiteral(HexDigits()));
        break;
      }
      Print("&");
      Const(true);
      break;
    case 'Q':
      Print("&mut ");
      Const(true);
      break;
    case 'A':
      Sequence("[", "]", [this] { Const(true); });
      break;
    case 'T':
      Tuple([this] { Const(true); });
      break;
    case 'V':
      VariantConst();
      break;
    default:
      Fail();
  }
}

/// V <path>, then its fields: none (U), a list (T), or names with values (S).
void Printer::VariantConst() {
  Path(true);
  switch (Next()) {
    case 'U':
      break;
    case 'T':
      Sequence("(", ")", [this] { Const(true); });
      break;
    case 'S':
      Sequence(" { ", " }", [this] {
        Disambiguator();
        PrintIdentifier(ReadIdentifier());
        Print(": ");
        Const(true);
      });
      break;
    default:
      Fail();
  }
}

/// In decimal if the value fits into 64 bits, else in hexadecimal as mangled.
void Printer::Integer() {
  const std::string_view digits = HexDigits();
  if (const auto value = ValueOf(digits)) return Print(std::to_string(*value));
  Print("0x");
  Print(digits);
}

void Printer::Literal(const std::optional<std::string>& text) {
  if (!text) return Fail();
  Print(*text);
}

}  // namespace csink::symbolizer::rust_v0
