#include "symbolizer/report/formats/clean.h"

#include <algorithm>

namespace csink::report {
namespace {

bool IsContinuation(unsigned char c) { return (c & 0xc0) == 0x80; }

/// Bytes of the UTF-8 sequence (RFC 3629) at the beginning; 0: none. Neither overlong forms nor
/// surrogates are any.
std::size_t SequenceLength(std::string_view text) {
  const auto at = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = at(0);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if (!IsContinuation(at(i))) return 0;
  }
  const unsigned char second = at(1);
  const bool is_outside = (lead == 0xe0 && second < 0xa0) || (lead == 0xed && second > 0x9f) ||
                          (lead == 0xf0 && second < 0x90) || (lead == 0xf4 && second > 0x8f);
  return is_outside ? 0 : length;
}

}  // namespace

std::string CleanName(std::string_view name, std::string_view reserved, char instead) {
  std::string clean;
  clean.reserve(std::min(name.size(), kMostNameBytes));
  while (!name.empty()) {
    if (clean.size() >= kMostNameBytes) return clean + "...";
    const std::size_t length = SequenceLength(name);
    const auto first = static_cast<unsigned char>(name[0]);
    if (length == 0) {
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
