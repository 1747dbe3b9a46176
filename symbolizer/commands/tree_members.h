#pragma once

#include <cstddef>
#include <cstdint>

namespace csink::tool {

/// Running processes that were started as part of the tree (CSINK_TREE in the environment that
/// /proc shows), as far as they are ours to look at. Reads all of /proc: not for every run.
std::size_t RunningInTree(std::uint64_t tree);

}  // namespace csink::tool
