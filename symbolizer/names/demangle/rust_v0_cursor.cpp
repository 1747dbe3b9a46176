#include "symbolizer/names/demangle/rust_v0_cursor.h"

#include "symbolizer/names/demangle/languages.h"
#include "symbolizer/names/demangle/punycode.h"

/// File: the terminals of the grammar of "v0" names (RFC 2603, "Syntax of mangled names"). After a
/// failure every read returns a neutral value, so that the recursive functions above end by
/// themselves.

namespace csink::symbolizer::rust_v0 {
namespace {

/// Limits for hostile names: recursion depth, which limits the stack, and productions that are
/// parsed, which limits the time: back references are parsed again at each use.
constexpr unsigned kMaxDepth = 128;
constexpr unsigned kMaxSteps = 100'000;

}  // namespace

Cursor::Level::Level(Cursor& cursor) : cursor_(cursor) {
  if (++cursor.depth_ > kMaxDepth || ++cursor.steps_ > kMaxSteps) cursor.Fail();
}

/// '\0' is no character of the grammar, so that callers need not look at `ok_` first.
char Cursor::Next() {
  if (at_ < text_.size()) return text_[at_++];
  Fail();
  return '\0';
}

bool Cursor::Eat(char c) {
  if (Peek() != c || !ok_) return false;
  ++at_;
  return true;
}

void Cursor::Print(std::string_view text) {
  if (is_silent_ || !ok_) return;
  // The name has failed then: a text that is cut off would be taken for another name.
  if (out_.size() + text.size() > kMaxDemangledBytes) return Fail();
  out_ += text;
}

std::uint64_t Cursor::Decimal() {
  std::uint64_t value = 0;
  if (Peek() < '0' || Peek() > '9') Fail();
  if (Eat('0')) return 0;
  while (Peek() >= '0' && Peek() <= '9') {
    value = value * 10 + static_cast<std::uint64_t>(Next() - '0');
    if (value > text_.size()) Fail();  // Decimal numbers are lengths, so a larger one is invalid
  }
  return value;
}

std::uint64_t Cursor::Base62() {
  if (Eat('_')) return 0;
  std::uint64_t value = 0;
  while (ok_ && !Eat('_')) {
    const char c = Next();
    std::uint64_t digit = 0;
    if (c >= '0' && c <= '9') {
      digit = static_cast<std::uint64_t>(c - '0');
    } else if (c >= 'a' && c <= 'z') {
      digit = static_cast<std::uint64_t>(c - 'a') + 10;
    } else if (c >= 'A' && c <= 'Z') {
      digit = static_cast<std::uint64_t>(c - 'A') + 36;
    } else {
      Fail();
    }
    // Crate hashes use all 64 bits, so overflow must be checked.
    if (__builtin_mul_overflow(value, std::uint64_t{62}, &value) ||
        __builtin_add_overflow(value, digit, &value)) {
      Fail();
    }
  }
  // "_" alone is 0, and every other number is one larger than its digits say.
  if (value == ~std::uint64_t{0}) Fail();
  return value + 1;
}

std::string_view Cursor::HexDigits() {
  const std::size_t start = at_;
  while ((Peek() >= '0' && Peek() <= '9') || (Peek() >= 'a' && Peek() <= 'f')) ++at_;
  const std::string_view digits = text_.substr(start, at_ - start);
  if (!Eat('_')) Fail();
  return digits;
}

Identifier Cursor::ReadIdentifier() {
  const bool is_punycode = Eat('u');
  const std::uint64_t length = Decimal();
  // Separates the length from a name that begins with a digit or '_'.
  Eat('_');
  if (!ok_ || length > text_.size() - at_) {
    Fail();
    return {};
  }
  Identifier identifier;
  identifier.text = text_.substr(at_, static_cast<std::size_t>(length));
  at_ += static_cast<std::size_t>(length);
  if (!is_punycode) return identifier;
  // The last '_' stands where Punycode has '-'.
  const std::size_t bar = identifier.text.rfind('_');
  if (bar == std::string_view::npos) {
    identifier.extended = identifier.text;
    identifier.text = {};
  } else {
    identifier.extended = identifier.text.substr(bar + 1);
    identifier.text = identifier.text.substr(0, bar);
  }
  // The "u" promised characters outside of ASCII.
  if (identifier.extended.empty()) Fail();
  return identifier;
}

void Cursor::PrintIdentifier(const Identifier& identifier) {
  if (identifier.extended.empty()) return Print(identifier.text);
  std::string text;
  if (DecodePunycode(identifier.text, identifier.extended, text)) return Print(text);
  Fail();
}

}  // namespace csink::symbolizer::rust_v0
