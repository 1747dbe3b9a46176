#pragma once

#include <string>

namespace csink::papi {

/// The path of data file `name` in share/csink of this installation. Searched relative to the
/// object (library or program) that contains this code, so an installation can be moved.
/// "share/csink/NAME": not found.
std::string DataFile(const char* name);

}  // namespace csink::papi
