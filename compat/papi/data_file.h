#pragma once

#include <string>

namespace csink::papi {

/// The path of data file `name` in share/csink of this installation. Searched relative to the
/// object (library or program) that contains this code, so an installation can be moved: from the
/// object's folder one level up (PREFIX/lib, PREFIX/bin) and two levels up (PREFIX/lib/TRIPLET).
/// Symbolic links are resolved. "share/csink/NAME": not found.
/// Threads: any. Signals: not safe.
std::string DataFile(const char* name);

}  // namespace csink::papi
