#pragma once

#include <cstddef>
#include <cstdint>

/// File: asks the kernel which processes of a tree still run.

namespace csink::tool {

/// The number of running processes that belong to a process tree (CSINK_TREE in /proc/PID/environ),
/// as far as this user may see them. Programs that cleared their environment are not found. Reads
/// all of /proc: about 10 us for each process of the machine.
std::size_t RunningInTree(std::uint64_t tree);

}  // namespace csink::tool
