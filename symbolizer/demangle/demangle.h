#pragma once

#include <string>

namespace csink::symbolizer {

/// The readable form of a mangled name: C++ (Itanium ABI), D, Rust (legacy and v0), Fortran module
/// procedures. Other names are returned unchanged. Threads: any.
std::string Demangle(const std::string& mangled);

}  // namespace csink::symbolizer
