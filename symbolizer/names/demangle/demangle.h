#pragma once

#include <string>

namespace csink::symbolizer {

/// The readable form of a mangled name: C++ (Itanium ABI), D, Rust (legacy and v0), Fortran module
/// procedures, Haskell (GHC's z-encoding). Other names are returned unchanged, and so are names of
/// more than 16 KiB, names whose text would be longer than 32 KiB, and damaged ones. `mangled` is
/// not trusted: time and memory are bounded for every input. A suffix of the compiler is shown in
/// the style of c++filt: "f() [clone .cold]". Threads: any. Cost: about 5 us for a usual
/// C++ name, so callers demangle only what they show.
std::string Demangle(const std::string& mangled);

}  // namespace csink::symbolizer
