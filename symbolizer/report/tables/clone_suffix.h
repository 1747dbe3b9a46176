#pragma once

#include <string>

namespace csink::report {

/// A function's name without what compilers put behind it (symbolizer/demangle/clone_suffix.h), "
/// [clone
/// ...]" of demanglers, and the hash of Rust's legacy names.
std::string WithoutCloneSuffix(const std::string& function);

}  // namespace csink::report
