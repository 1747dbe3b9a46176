#include "symbolizer/report/formats/parts/clean.h"

#include <algorithm>

#include "core/util/utf8.h"

namespace csink::report {
namespace {

constexpr char kReplacement[] = "\xef\xbf\xbd";  // U+FFFD

/// Whether a UTF-8 character must not reach a page.
bool MisleadsOnPage(std::string_view character) {
  if (ChangesDirection(character)) return true;
  // C2 80 to C2 9F are the C1 control characters.
  if (character.size() == 2) {
    return character[0] == '\xc2' && static_cast<unsigned char>(character[1]) < 0xa0;
  }
  // U+FFFE and U+FFFF.
  return character.size() == 3 && character.substr(0, 2) == "\xef\xbf" &&
         static_cast<unsigned char>(character[2]) >= 0xbe;
}

}  // namespace

bool IsPlainName(std::string_view name) {
  // Without a branch for each character, so that the compiler checks many at once.
  constexpr unsigned char kFirst = 0x20;
  constexpr unsigned char kCount = 0x7f - kFirst;
  unsigned char others = 0;
  for (const char c : name) {
    const auto place = static_cast<unsigned char>(static_cast<unsigned char>(c) - kFirst);
    others |= static_cast<unsigned char>(place >= kCount ? 1 : 0);
  }
  return others == 0 && name.size() <= kMostNameBytes;
}

std::string CleanName(std::string_view name, std::string_view reserved, char instead) {
  // Nearly all names are plain, and are copied in one piece.
  if (IsPlainName(name) && name.find_first_of(reserved) == name.npos) return std::string(name);
  std::string clean;
  clean.reserve(std::min(name.size(), kMostNameBytes));
  while (!name.empty()) {
    // Checked between characters, so that no character is cut.
    if (clean.size() >= kMostNameBytes) return clean + "...";
    const std::size_t length = Utf8Bytes(name);
    const auto first = static_cast<unsigned char>(name[0]);
    if (length == 0) {
      clean += kReplacement;
    } else if (first < 0x20 || first == 0x7f || reserved.find(name[0]) != reserved.npos) {
      clean += instead;
    } else {
      clean += name.substr(0, length);
    }
    name.remove_prefix(length == 0 ? 1 : length);
  }
  return clean;
}

std::string CleanField(std::string_view name) {
  std::string clean;
  clean.reserve(std::min(name.size(), kMostNameBytes));
  while (!name.empty()) {
    if (clean.size() >= kMostNameBytes) return clean + "...";
    const std::size_t length = Utf8Bytes(name);
    const auto first = static_cast<unsigned char>(name[0]);
    // Tabs and line ends stay: the tables keep them (docs/tables.md).
    const bool is_control =
        (first < 0x20 || first == 0x7f) && first != '\n' && first != '\r' && first != '\t';
    clean += length == 0 || is_control ? std::string_view(kReplacement) : name.substr(0, length);
    name.remove_prefix(length == 0 ? 1 : length);
  }
  return clean;
}

std::string CleanForPage(std::string_view name) {
  const std::string clean = CleanName(name);
  std::string page;
  page.reserve(clean.size());
  // All of `clean` is UTF-8.
  for (std::size_t at = 0, length = 0; at < clean.size(); at += length) {
    length = Utf8Bytes(clean, at);
    const std::string_view character = std::string_view(clean).substr(at, length);
    page += MisleadsOnPage(character) ? std::string_view(kReplacement) : character;
  }
  return page;
}

}  // namespace csink::report
