#pragma once

#include <string>
#include <vector>

namespace csink::tool {

/// Runs `csink report --raw`: writes the records of each file to stdout (raw_dump.h). Returns the
/// exit status: 0, or kExitNothing if a file cannot be read or not everything was written.
int PrintRaw(const std::vector<std::string>& spools);

}  // namespace csink::tool
