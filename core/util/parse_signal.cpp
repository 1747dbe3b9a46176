#include <algorithm>

#include "core/util/parse.h"

// Parsers over string_view, written without libc: strtoull and the like need a NUL, depend on the
// locale, set errno and accept signs and leading blanks.

namespace csink {
namespace {

constexpr Error kNotANumber{Errc::kInvalid, 0, "not a number"};
constexpr Error kTooLarge{Errc::kLimit, 0, "the number is too large"};

char Lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

bool EqualsIgnoringCase(std::string_view a, std::string_view b) noexcept {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (Lower(a[i]) != Lower(b[i])) return false;
  }
  return true;
}

// The value of a digit up to base 16; 99, which is above every base, for any other byte.
int Digit(char c) noexcept {
  if (c >= '0' && c <= '9') return c - '0';
  c = Lower(c);
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 99;
}

// Digits alone: no sign, no blanks, no prefix. Leading zeros are allowed.
Result<std::uint64_t> ParseBase(std::string_view text, unsigned base) noexcept {
  if (text.empty()) return kNotANumber;
  std::uint64_t value = 0;
  for (char c : text) {
    const unsigned digit = static_cast<unsigned>(Digit(c));
    if (digit >= base) return kNotANumber;
    // The built-ins detect the overflow itself: a comparison with the largest value would need
    // another limit for each base.
    if (__builtin_mul_overflow(value, base, &value) ||
        __builtin_add_overflow(value, digit, &value)) {
      return kTooLarge;
    }
  }
  return value;
}

}  // namespace

Result<std::uint64_t> ParseUnsigned(std::string_view text) noexcept { return ParseBase(text, 10); }
Result<std::uint64_t> ParseHex(std::string_view text) noexcept { return ParseBase(text, 16); }

Result<bool> ParseBool(std::string_view text) noexcept {
  for (std::string_view yes : {"1", "yes", "on", "true"}) {
    if (EqualsIgnoringCase(text, yes)) return true;
  }
  for (std::string_view no : {"0", "no", "off", "false"}) {
    if (EqualsIgnoringCase(text, no)) return false;
  }
  return Error{Errc::kInvalid, 0, "not a yes or no"};
}

Result<std::uint64_t> ParseCount(std::string_view text) noexcept {
  std::uint64_t scale = 1;
  if (!text.empty()) {
    switch (text.back()) {
      case 'k':
      case 'K':
        scale = 1000;
        break;
      case 'M':
        scale = 1000 * 1000;
        break;
      case 'G':
        scale = 1000ull * 1000 * 1000;
        break;
      default:
        break;
    }
    if (scale != 1) text.remove_suffix(1);
  }
  Result<std::uint64_t> number = ParseUnsigned(text);
  if (!number) return number;
  std::uint64_t value;
  if (__builtin_mul_overflow(*number, scale, &value)) return kTooLarge;
  return value;
}

Result<std::uint64_t> ParseDuration(std::string_view text) noexcept {
  struct Unit {
    std::string_view suffix;
    std::uint64_t ns;
  };
  // The order matters: "ms" ends in "s", so the longer suffix comes first.
  constexpr Unit kUnits[] = {{"ns", 1},
                             {"us", 1'000},
                             {"ms", 1'000'000},
                             {"s", 1'000'000'000},
                             {"m", 60'000'000'000},
                             {"min", 60'000'000'000},
                             {"h", 3'600'000'000'000}};
  std::uint64_t unit = 1'000'000'000;
  for (const Unit& candidate : kUnits) {
    // A suffix alone is no duration: it would leave an empty number.
    if (text.size() > candidate.suffix.size() && text.ends_with(candidate.suffix)) {
      unit = candidate.ns;
      text.remove_suffix(candidate.suffix.size());
      break;
    }
  }
  // Compared below, because NextToken does not tell "1" from "1.".
  const std::size_t bytes = text.size();
  const std::string_view whole_text = NextToken(text, '.');
  if (text.empty() && whole_text.size() != bytes) return kNotANumber;  // "1."
  const Result<std::uint64_t> whole = ParseUnsigned(whole_text);
  if (!whole) return whole.error();
  std::uint64_t ns = 0;
  if (__builtin_mul_overflow(*whole, unit, &ns)) return kTooLarge;
  // Nine places reach one nanosecond of a second. `unit` becomes the value of each place in turn,
  // and 0 where a place is below one nanosecond.
  if (text.size() > 9) return kNotANumber;
  for (const char c : text) {
    if (Digit(c) > 9) return kNotANumber;
    unit /= 10;
    if (__builtin_add_overflow(ns, static_cast<std::uint64_t>(Digit(c)) * unit, &ns)) {
      return kTooLarge;
    }
  }
  return ns;
}

std::string_view NextToken(std::string_view& rest, char separator) noexcept {
  // Why not substr: its range check would make libagent.so depend on libstdc++'s throw functions.
  std::size_t at = 0;
  while (at < rest.size() && rest[at] != separator) ++at;
  const std::string_view token(rest.data(), at);
  rest.remove_prefix(at < rest.size() ? at + 1 : at);
  return token;
}

static bool IsBlank(char c) noexcept { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
static bool IsBlankOrNul(char c) noexcept { return IsBlank(c) || c == '\0'; }

static std::string_view Without(bool (*unwanted)(char), std::string_view text) noexcept {
  while (!text.empty() && unwanted(text.front())) text.remove_prefix(1);
  while (!text.empty() && unwanted(text.back())) text.remove_suffix(1);
  return text;
}

std::string_view TrimmedBlanks(std::string_view text) noexcept { return Without(IsBlank, text); }
std::string_view Trimmed(std::string_view text) noexcept { return Without(IsBlankOrNul, text); }

std::string_view FieldOf(std::string_view text, std::string_view key) noexcept {
  while (!text.empty()) {
    // Only the first ':' separates: values may have more of them.
    std::string_view line = NextToken(text, '\n');
    const std::size_t whole = line.size();
    const std::string_view name = NextToken(line, ':');
    if (name.size() != whole && Trimmed(name) == key) return Trimmed(line);
  }
  return {};
}

unsigned EditDistance(std::string_view a, std::string_view b, unsigned cap) noexcept {
  // One row of the distance matrix is enough: `diagonal` keeps the one value of the row before that
  // is overwritten too early.
  constexpr std::size_t kMax = 64;
  a = std::string_view(a.data(), std::min(a.size(), kMax));
  b = std::string_view(b.data(), std::min(b.size(), kMax));
  unsigned row[kMax + 1];
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = static_cast<unsigned>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    unsigned diagonal = row[0];
    row[0] = static_cast<unsigned>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      // `diagonal` is the distance of the two texts without their last bytes, row[j - 1] and row[j]
      // are the distances without the last byte of `b` and of `a`.
      const unsigned substitute = diagonal + (Lower(a[i - 1]) == Lower(b[j - 1]) ? 0u : 1u);
      diagonal = row[j];
      row[j] = std::min(substitute, std::min(row[j], row[j - 1]) + 1);
    }
  }
  return std::min(row[b.size()], cap + 1);
}

}  // namespace csink
