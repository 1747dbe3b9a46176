#pragma once

#include <optional>
#include <string>

namespace csink::symbolizer {

/// Demangles names of the D language (_D...). nullopt: the name cannot be parsed, or its text could
/// grow without a bound.
std::optional<std::string> DemangleD(const std::string& mangled);

}  // namespace csink::symbolizer
