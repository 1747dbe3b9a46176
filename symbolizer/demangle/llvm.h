#pragma once

#include <optional>
#include <string>

namespace csink::symbolizer {

/// C++ names (_Z...) that the runtime's demangler does not read: those of concepts, of template
/// parameters that clang 17 and newer write out (Tn, Tk), of explicit object parameters and
/// _BitInt, and long ones whose text the runtime could let grow without a bound. Reads them with
/// LLVM's demangler, whose tree says before it is printed how long the text can become. nullopt:
/// not read, too long, or csink was built without LLVM's headers (llvm-19-dev).
std::optional<std::string> DemangleByLlvm(const std::string& mangled);

}  // namespace csink::symbolizer
