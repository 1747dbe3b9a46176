#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace csink::tool {

/// Converts lines NAME='value' to "export NAME='value'" lines for a shell. A spool is not trusted:
/// every line that is not an assignment of one quoted text to a CSINK_ variable is left out and
/// counted in `refused`.
std::string ExportLines(std::string_view lines, std::size_t& refused);

/// Runs `csink report --config`: writes the configuration of each spool to stdout. Returns the exit
/// status.
int PrintConfigurations(const std::vector<std::string>& spools);

}  // namespace csink::tool
