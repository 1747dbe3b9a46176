#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace csink::utils {

/// What a tool prints if no hardware event can be counted.
struct Hint {
  std::string why;                   ///< the library's message; empty with another library
  std::vector<std::string> instead;  ///< software events of the kernel that can be counted
};

/// Asks the library why the preset or native event `code` cannot be counted, and tries the kernel's
/// software events. If `code` can be counted, `why` is empty.
Hint FindHint(int code);

/// Prints the hint on stdout as text; empty members print nothing.
void PrintHint(const Hint& hint);
/// {"why": ..., "instead": [...]}
nlohmann::ordered_json HintJson(const Hint& hint);

}  // namespace csink::utils
