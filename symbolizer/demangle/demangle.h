#pragma once

#include <string>

namespace csink::symbolizer {

/// A name ready to show: C++ (Itanium), Rust (legacy and v0), others unchanged.
std::string Demangle(const std::string& mangled);

}  // namespace csink::symbolizer
