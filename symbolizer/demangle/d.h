#pragma once

#include <optional>
#include <string>

namespace csink::symbolizer {

/// D's names (_D...). nullopt: not read, or its text could grow without a bound.
std::optional<std::string> DemangleD(const std::string& mangled);

}  // namespace csink::symbolizer
