#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace csink::tool {

/// Converts lines NAME='value' to "export NAME='value'" lines for a shell, so that `eval` repeats
/// the settings of a run. Values may contain newlines and quotes. A spool is not trusted: every
/// line that is not an assignment of one quoted text to a CSINK_ variable is left out and counted
/// in `refused`, because a shell would execute it.
std::string ExportLines(std::string_view lines, std::size_t& refused);

/// Runs `csink report --config`: writes the configuration of each spool to stdout. Returns the exit
/// status: 0, or kExitNothing if a spool cannot be read, has no configuration, or has lines that
/// were refused.
int PrintConfigurations(const std::vector<std::string>& spools);

}  // namespace csink::tool
