#pragma once

#include <string>

/// File: names under which functions of different builds meet.

namespace csink::report {

/// A function's name without compilers' suffixes (symbolizer/demangle/clone_suffix.h), without "
/// [clone ...]" of demanglers, and without the hash of Rust's legacy names ("::h" and 16
/// hexadecimal digits). These parts change from build to build, so comparisons leave them out.
std::string WithoutCloneSuffix(const std::string& function);

}  // namespace csink::report
