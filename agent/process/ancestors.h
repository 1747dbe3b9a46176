#pragma once

#include <sys/types.h>

#include <cstdint>

namespace csink::agent {

/// The depth of this process in its tree: how many processes in a row, from `parent` upwards, run
/// in an environment that loads libagent.so, whether they are profiled or not. A parent that has
/// ended ends the row, and so does a process whose environment cannot be read. At most 64. Reads
/// two files of /proc for each level. Signals: safe.
std::uint32_t CountAncestors(pid_t parent) noexcept;

}  // namespace csink::agent
