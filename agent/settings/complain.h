#pragma once

#include <string_view>

namespace csink::agent {

/// Prints a warning about settings, or about what this machine does with them. Silent if the parent
/// runs with the agent and the same settings, because the parent has printed the same line: a tree
/// of a thousand processes prints it once. At CSINK_LOG=info the line is always printed. Threads:
/// one, at the start of a process. Reads /proc at the first line of a process only. Signals: not
/// safe.
void Complain(std::string_view line) noexcept;

}  // namespace csink::agent
