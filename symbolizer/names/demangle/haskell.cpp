#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "symbolizer/names/demangle/languages.h"
#include "symbolizer/names/demangle/punycode.h"

/// File: GHC's symbol names: "package_Module_name_suffix", each part in the z-encoding (GHC
/// commentary, "Symbol names"). The encoding leaves letters and digits as they are, except 'z' and
/// 'Z', which begin a code. An underscore of a Haskell name is "zu", so that a plain '_' always
/// separates parts. The main package is left out of a symbol. C programs have names like
/// "buzz_info", so each part must be a valid Haskell name, and one part must have a code.

namespace csink::symbolizer {
namespace {

/// Codes of a punctuation character that follow 'z'.
constexpr std::pair<char, char> kLower[] = {
    {'a', '&'}, {'b', '|'}, {'c', '^'}, {'d', '$'}, {'e', '='}, {'g', '>'},  {'h', '#'},
    {'i', '.'}, {'l', '<'}, {'m', '-'}, {'n', '!'}, {'p', '+'}, {'q', '\''}, {'r', '\\'},
    {'s', '/'}, {'t', '*'}, {'u', '_'}, {'v', '%'}, {'z', 'z'}};
/// Codes that follow 'Z'.
constexpr std::pair<char, char> kUpper[] = {{'C', ':'}, {'L', '('}, {'M', '['},
                                            {'N', ']'}, {'R', ')'}, {'Z', 'Z'}};
/// GHC's largest tuple has 64 components.
constexpr std::uint32_t kMostComponents = 64;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsUpper(char c) { return c >= 'A' && c <= 'Z'; }
/// Also bytes of a UTF-8 sequence.
bool IsLetter(char c) {
  return (c >= 'a' && c <= 'z') || IsUpper(c) || static_cast<unsigned char>(c) >= 0x80;
}

/// A part in clear text. `has_code`: it had a code other than those of the letters z and Z.
struct Part {
  std::string text;
  bool has_code = false;
};

/// The character of a code in one of the tables; '\0': there is no such code.
template <std::size_t N>
char CharacterOf(const std::pair<char, char> (&codes)[N], char code) {
  const auto* found = std::find_if(std::begin(codes), std::end(codes),
                                   [&](const auto& entry) { return entry.first == code; });
  return found == std::end(codes) ? '\0' : found->second;
}

/// "z3bbU", a character by its number in hexadecimal digits, of which the first is a decimal digit.
/// `at` is behind the 'z', and then behind the 'U'.
bool DecodeNumber(std::string_view encoded, std::size_t& at, std::string& out) {
  std::uint32_t number = 0;
  for (; at < encoded.size() && number <= 0x10ffff; ++at) {
    const char c = encoded[at];
    if (c == 'U') {
      ++at;
      // Control characters do not occur in names.
      return number >= 0x20 && AppendUtf8(out, number);
    }
    if (!IsDigit(c) && (c < 'a' || c > 'f')) return false;
    number = number * 16 + static_cast<std::uint32_t>(IsDigit(c) ? c - '0' : c - 'a' + 10);
  }
  return false;
}

/// "Z3T" -> "(,,)", "Z2H" -> "(#,#)". `at` is behind the 'Z', and then behind the letter.
bool DecodeTuple(std::string_view encoded, std::size_t& at, std::string& out) {
  std::uint32_t components = 0;
  for (; at < encoded.size() && IsDigit(encoded[at]) && components <= kMostComponents; ++at) {
    components = components * 10 + static_cast<std::uint32_t>(encoded[at] - '0');
  }
  if (at == encoded.size() || components > kMostComponents) return false;
  const char kind = encoded[at++];
  const std::string commas(components > 1 ? components - 1 : 0, ',');
  if (kind == 'T') {
    out += "(" + commas + ")";
  } else if (kind == 'H') {
    // The unboxed tuple of one component is written with a blank.
    out += "(#" + (components == 1 ? std::string(" ") : commas) + "#)";
  } else {
    return false;
  }
  return true;
}

std::optional<Part> DecodePart(std::string_view encoded) {
  Part part;
  std::size_t at = 0;
  while (at < encoded.size()) {
    const char c = encoded[at++];
    if (c != 'z' && c != 'Z') {
      part.text += c;
      continue;
    }
    if (at == encoded.size()) return std::nullopt;
    if (IsDigit(encoded[at])) {
      const bool is_valid =
          c == 'z' ? DecodeNumber(encoded, at, part.text) : DecodeTuple(encoded, at, part.text);
      if (!is_valid) return std::nullopt;
      part.has_code = true;
      continue;
    }
    const char code = encoded[at++];
    const char character = c == 'z' ? CharacterOf(kLower, code) : CharacterOf(kUpper, code);
    if (character == '\0') return std::nullopt;
    part.has_code = part.has_code || (character != 'z' && character != 'Z');
    part.text += character;
  }
  if (part.text.empty()) return std::nullopt;
  return part;
}

/// "containers-0.6.7"
bool IsPackage(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return IsLetter(c) || IsDigit(c) || c == '-' || c == '.' || c == '+' || c == '_';
  });
}

/// "Data.Map.Internal": words that begin with an upper case letter.
bool IsModule(std::string_view text) {
  bool is_start = true;
  for (const char c : text) {
    if (is_start && !IsUpper(c)) return false;
    if (!is_start && !IsLetter(c) && !IsDigit(c) && c != '_' && c != '\'' && c != '.') return false;
    is_start = c == '.';
  }
  return !is_start;
}

/// "map", "go1", "x'", "unsafeRead#", "$wfib" (a worker), "$fShowInt" (a dictionary), or an
/// operator such as "++". Names of the compiler begin with '$' and may have operators inside:
/// "$c==".
bool IsName(std::string_view text) {
  if (text[0] == '$') return true;
  if (!IsLetter(text[0]) && text[0] != '_') {
    // An operator, a list or a tuple. Local copies of operators have a number behind: "++1".
    return !IsDigit(text[0]) && std::none_of(text.begin(), text.end(), IsLetter);
  }
  return std::all_of(text.begin(), text.end(), [](char c) {
    return IsLetter(c) || IsDigit(c) || c == '_' || c == '\'' || c == '#' || c == '$';
  });
}

/// The kinds of symbols that GHC makes for a name, longest first where one ends with another.
/// Samples are in the code of a name: GHC places its info table directly before its code, so that
/// code has the symbol "_info". The other kinds are shown behind the name.
struct Suffix {
  std::string_view text;
  std::string_view shown;
};
constexpr Suffix kSuffixes[] = {
    {"_con_info", " [constructor]"},
    {"_con_entry", " [constructor]"},
    {"_static_info", ""},
    {"_static_entry", ""},
    {"_ret_info", " [return]"},
    {"_info", ""},
    {"_entry", ""},
    {"_fast", ""},
    {"_slow", " [slow]"},
    {"_closure_tbl", " [closures]"},
    {"_closure", " [closure]"},
    {"_ret", " [return]"},
    {"_srt", " [references]"},
    {"_bytes", " [text]"},
};

}  // namespace

std::optional<std::string> DemangleHaskell(std::string_view mangled) {
  const auto* suffix =
      std::find_if(std::begin(kSuffixes), std::end(kSuffixes),
                   [&](const Suffix& candidate) { return mangled.ends_with(candidate.text); });
  if (suffix == std::end(kSuffixes)) return std::nullopt;
  std::string_view rest = mangled.substr(0, mangled.size() - suffix->text.size());
  // Name, module, package: read from the end.
  std::array<Part, 3> parts;
  std::size_t count = 0;
  bool has_code = false;
  for (bool is_last = false; !is_last; ++count) {
    if (count == parts.size()) return std::nullopt;
    const std::size_t underscore = rest.rfind('_');
    is_last = underscore == std::string_view::npos;
    auto part = DecodePart(is_last ? rest : rest.substr(underscore + 1));
    if (!part) return std::nullopt;
    has_code = has_code || part->has_code;
    parts[count] = *std::move(part);
    if (!is_last) rest = rest.substr(0, underscore);
  }
  if (count < 2 || !has_code || !IsName(parts[0].text) || !IsModule(parts[1].text)) {
    return std::nullopt;
  }
  if (count == 3 && !IsPackage(parts[2].text)) return std::nullopt;
  std::string text = parts[1].text + "." + parts[0].text;
  text += suffix->shown;
  if (text.size() > kMaxDemangledBytes) return std::nullopt;
  return text;
}

}  // namespace csink::symbolizer
