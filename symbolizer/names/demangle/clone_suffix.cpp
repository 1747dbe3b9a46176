#include "symbolizer/names/demangle/clone_suffix.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>

#include "symbolizer/names/demangle/demangle.h"

namespace csink::symbolizer {
namespace {

/// Suffixes of gcc's passes and of clang's: ThinLTO, basic block sections (f.__part.1) and unique
/// names of internal functions (f.__uniq.123).
constexpr std::array<std::string_view, 11> kWords = {
    "cold",       "part", "isra",  "constprop", "lto_priv", "llvm",
    "localalias", "warm", "split", "__part",    "__uniq"};

bool IsNumber(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

std::string_view CloneSuffix(std::string_view raw_name) {
  std::size_t start = raw_name.size();
  std::size_t end = raw_name.size();
  // Reads from the end of the name, one word at a time. A word may be followed by a number.
  while (end != 0) {
    std::size_t dot = raw_name.rfind('.', end - 1);
    if (dot == std::string_view::npos || dot == 0) break;
    std::string_view word = raw_name.substr(dot + 1, end - dot - 1);
    if (IsNumber(word)) {
      const std::size_t before = raw_name.rfind('.', dot - 1);
      if (before == std::string_view::npos || before == 0) break;
      word = raw_name.substr(before + 1, dot - before - 1);
      dot = before;
    }
    if (std::find(kWords.begin(), kWords.end(), word) == kWords.end()) break;
    start = end = dot;
  }
  return raw_name.substr(start);
}

void MergeClones(ModuleAnswer& answer) {
  std::map<std::string, const Location*, std::less<>> whole;
  for (const Location& location : answer.locations) {
    if (location.source != NameSource::kSymbol || location.raw_name.empty()) continue;
    // The name without the suffix. `clone` is the end of raw_name.
    const std::string_view name(location.raw_name.data(),
                                location.raw_name.size() - location.clone.size());
    const auto [at, is_new] = whole.try_emplace(std::string(name), &location);
    // The function itself is preferred over its parts.
    if (!is_new && location.clone.empty() && !at->second->clone.empty()) at->second = &location;
  }
  // The starts are copied first: `whole` points to locations that the next loop changes.
  std::map<std::string, std::uint64_t, std::less<>> starts;
  for (const auto& [name, location] : whole) starts[name] = location->function_vaddr;
  for (Location& location : answer.locations) {
    if (location.source != NameSource::kSymbol || location.clone.empty()) continue;
    location.raw_name.resize(location.raw_name.size() - location.clone.size());
    location.clone.clear();
    location.function = Demangle(location.raw_name);
    location.function_vaddr = starts.find(location.raw_name)->second;
  }
}

}  // namespace csink::symbolizer
