#pragma once

#include <string_view>

namespace csink::agent {

/// Says a line about settings, or about what this machine does with them, as a warning. Nothing
/// when the parent runs with the agent and the same settings: it has said the same, so that a
/// tree of a thousand processes says it once. Always with CSINK_LOG=info.
/// Threads: one, at a process's start. Looks into /proc, at the first line of a process alone.
void Complain(std::string_view line) noexcept;

}  // namespace csink::agent
