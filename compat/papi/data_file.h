#pragma once

#include <string>

namespace csink::papi {

/// Where the data file `name` (below share/csink) of this installation is: beside the object that
/// this code is in, wherever the tree was moved to. Not found: "share/csink/NAME".
std::string DataFile(const char* name);

}  // namespace csink::papi
