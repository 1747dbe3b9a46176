#pragma once

#include <optional>
#include <string>

namespace csink::symbolizer {

/// Demangles names of the D language (_D...) by libiberty (docs/symbolizing.md, "Demanglers").
/// nullopt: the name cannot be parsed, its text could grow without a bound, or is longer than
/// kMaxDemangledBytes. The caller limits the length of `mangled` (demangle.cpp: 16 KiB).
/// Threads: any.
std::optional<std::string> DemangleD(const std::string& mangled);

}  // namespace csink::symbolizer
