#include <algorithm>

#include "symbolizer/names/demangle/languages.h"
#include "symbolizer/names/demangle/punycode.h"

/// File: Rust's first mangling: the parts of a path with their lengths, as in a nested C++ name,
/// and a hash of 16 digits as the last part. Characters that C++ names cannot have are escaped as
/// $LT$ or $u7b$.

namespace csink::symbolizer {
namespace {

/// The last part of a Rust name: 'h' and 16 hexadecimal digits.
bool IsHash(std::string_view part) {
  return part.size() == 17 && part[0] == 'h' &&
         std::all_of(part.begin() + 1, part.end(),
                     [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

/// "LT" -> '<', "u7b" -> '{'. Returns false if it is not an escape sequence of Rust. Codes below
/// 0x20 are refused.
bool AppendEscape(std::string& out, std::string_view escape) {
  constexpr std::pair<std::string_view, char> kNamed[] = {
      {"SP", '@'}, {"BP", '*'}, {"RF", '&'}, {"LT", '<'},
      {"GT", '>'}, {"LP", '('}, {"RP", ')'}, {"C", ','},
  };
  for (const auto& [name, character] : kNamed) {
    if (name != escape) continue;
    out += character;
    return true;
  }
  if (escape.size() < 2 || escape.size() > 7 || escape[0] != 'u') return false;
  char32_t code = 0;
  for (const char c : escape.substr(1)) {
    const std::size_t digit = std::string_view("0123456789abcdef").find(c);
    if (digit == std::string_view::npos) return false;
    code = code * 16 + static_cast<char32_t>(digit);
  }
  return code >= 0x20 && AppendUtf8(out, code);
}

/// One part of the path, with its escapes replaced. ".." stands for "::" within a part.
void AppendPart(std::string& out, std::string_view part) {
  // A part must not begin with '$', so that "$LT$" is written "_$LT$" at the front.
  if (part.starts_with("_$")) part.remove_prefix(1);
  while (!part.empty()) {
    if (part[0] == '$') {
      const std::size_t end = part.find('$', 1);
      if (end == std::string_view::npos || !AppendEscape(out, part.substr(1, end - 1))) break;
      part.remove_prefix(end + 1);
    } else if (part.starts_with("..")) {
      out += "::";
      part.remove_prefix(2);
    } else {
      out += part[0];
      part.remove_prefix(1);
    }
  }
  out += part;  // Text that is not a valid escape is kept as it is
}

}  // namespace

std::optional<std::string> DemangleRustLegacy(std::string_view mangled) {
  if (!mangled.starts_with("_ZN")) return std::nullopt;
  std::string_view rest = mangled.substr(3);
  std::string out;
  bool has_hash = false;
  while (!rest.empty() && rest[0] != 'E') {
    std::size_t length = 0;
    std::size_t digits = 0;
    // Six digits exceed the length of every accepted name, and cannot overflow.
    while (digits < rest.size() && digits < 6 && rest[digits] >= '0' && rest[digits] <= '9') {
      length = length * 10 + static_cast<std::size_t>(rest[digits++] - '0');
    }
    if (digits == 0 || length == 0 || length > rest.size() - digits) return std::nullopt;
    const std::string_view part = rest.substr(digits, length);
    rest.remove_prefix(digits + length);
    has_hash = IsHash(part) && rest.starts_with('E');
    if (has_hash) break;
    if (!out.empty()) out += "::";
    AppendPart(out, part);
  }
  if (!has_hash || out.empty()) return std::nullopt;
  rest.remove_prefix(1);
  // ".llvm.1234" is added by ThinLTO and carries no information; ".cold" does.
  if (rest.starts_with(".llvm.")) rest = {};
  if (!rest.empty() && rest[0] != '.') return std::nullopt;
  if (!rest.empty()) out.append(" [clone ").append(rest).append("]");
  return out;
}

}  // namespace csink::symbolizer
