#include "symbolizer/report/wording/name_id.h"

#include <algorithm>
#include <cstdint>

namespace csink::report {
namespace {

constexpr std::string_view kDigits = "0123456789abcdef";
constexpr std::size_t kIdDigits = 7;

}  // namespace

std::string NameId(std::string_view name) {
  if (name.empty()) return "";
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  std::string id = "n";
  for (std::size_t i = 0; i < kIdDigits; ++i) id += kDigits[(hash >> (60 - 4 * i)) & 15];
  return id;
}

bool IsNameId(std::string_view text) {
  return text.size() == 1 + kIdDigits && text[0] == 'n' &&
         std::all_of(text.begin() + 1, text.end(),
                     [](char c) { return kDigits.find(c) != std::string_view::npos; });
}

}  // namespace csink::report
