#pragma once

#include <sys/types.h>

#include <cstdint>

namespace csink::agent {

/// How many processes in a row, from `parent` upwards, run in an environment that
/// loads libagent.so, whether they are profiled or not: the depth of a process
/// below the one with which the profile began. A parent that has died ends the row.
/// Reads /proc; what cannot be read counts as not ours. Signals: safe.
std::uint32_t CountAncestors(pid_t parent) noexcept;

}  // namespace csink::agent
