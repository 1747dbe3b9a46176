#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace csink::utils {

/// What a tool says where no hardware event can be counted.
struct Hint {
  std::string why;                   ///< the library's sentence; empty with another library
  std::vector<std::string> instead;  ///< events of the kernel that can be counted
};

/// Asks the library why it does not count the preset or native event `code`, and tries the kernel's
/// own events.
Hint FindHint(int code);

/// As lines of text.
void PrintHint(const Hint& hint);
/// {"why": ..., "instead": [...]}
nlohmann::ordered_json HintJson(const Hint& hint);

}  // namespace csink::utils
