#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace csink::tool {

/// `lines` of NAME='value' as "export NAME='value'" lines that a shell can source. A spool may
/// come from anybody: whatever is not an assignment of a CSINK_ variable to one quoted text is
/// left out, and `refused` counts it.
std::string ExportLines(std::string_view lines, std::size_t& refused);

/// `csink report --config`: the configuration of each spool to stdout. Returns the exit status.
int PrintConfigurations(const std::vector<std::string>& spools);

}  // namespace csink::tool
