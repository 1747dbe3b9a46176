#pragma once

#include <optional>
#include <string>

namespace csink::symbolizer {

/// Demangles C++ names (_Z...) that the runtime's demangler (abi::__cxa_demangle) cannot handle:
/// concepts, template parameters as clang 17 and newer write them (Tn, Tk), explicit object
/// parameters, _BitInt, and long names whose text the runtime could let grow without a bound. Uses
/// LLVM's demangler: its syntax tree gives the length of the text before the text is printed.
///
/// nullopt: the name cannot be parsed, or its text is too long. Only in builds with LLVM's headers
/// (llvm-19-dev; CSINK_HAS_LLVM_DEMANGLER): without them the function is not defined.
/// Threads: any. Stack: at most about 1 MiB, for a hostile name.
std::optional<std::string> DemangleByLlvm(const std::string& mangled);

}  // namespace csink::symbolizer
