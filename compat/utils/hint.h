#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace csink::utils {

/// What a tool prints if nothing was counted: why, and what can be counted here.
struct Hint {
  std::string why;                   ///< the library's message; empty with another library
  std::vector<std::string> presets;  ///< the first kMostPresets presets that can be counted
  std::vector<std::string> instead;  ///< software events of the kernel that can be counted
};

/// The line of what can be counted is for a first try; papi_avail -a lists all presets.
inline constexpr std::size_t kMostPresets = 12;

/// Asks the library why the preset or native event `code` cannot be counted, and tries the presets
/// and the kernel's software events. If `code` can be counted, `why` is empty.
Hint FindHint(int code);

/// Prints the hint on stdout as text; empty members print nothing.
void PrintHint(const Hint& hint);
/// {"why": ..., "presets": [...], "instead": [...]}
nlohmann::ordered_json HintJson(const Hint& hint);

}  // namespace csink::utils
