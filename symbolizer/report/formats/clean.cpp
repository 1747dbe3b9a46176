#include "symbolizer/report/formats/clean.h"

#include <algorithm>

#include "core/util/utf8.h"

namespace csink::report {

std::string CleanName(std::string_view name, std::string_view reserved, char instead) {
  std::string clean;
  clean.reserve(std::min(name.size(), kMostNameBytes));
  while (!name.empty()) {
    // Checked between characters, so that no character is cut.
    if (clean.size() >= kMostNameBytes) return clean + "...";
    const std::size_t length = Utf8Bytes(name);
    const auto first = static_cast<unsigned char>(name[0]);
    if (length == 0) {
      // U+FFFD, the replacement character.
      clean += "\xef\xbf\xbd";
    } else if (first < 0x20 || first == 0x7f || reserved.find(name[0]) != reserved.npos) {
      clean += instead;
    } else {
      clean += name.substr(0, length);
    }
    name.remove_prefix(length == 0 ? 1 : length);
  }
  return clean;
}

}  // namespace csink::report
