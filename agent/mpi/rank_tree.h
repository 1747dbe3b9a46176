#pragma once

#include <cstdint>

/// File: which rank sends its profile to which. The ranks are the nodes of a complete tree with
/// kChildren children a node, numbered as in a heap: rank 0 is the root, and ranks that are
/// neighbours, often on one node, have the same parent. Threads: any. Signals: safe.

namespace csink::mpi {

/// 16 instead of the 2 of a binomial tree: a rank with children starts one csink process for all of
/// them, which costs more than the sum of 16 spools. So 15 of 16 ranks start none, and 10,000 ranks
/// are four levels deep.
inline constexpr std::uint32_t kChildren = 16;

/// The rank that gets this rank's sum. Not for rank 0.
constexpr std::uint32_t ParentOf(std::uint32_t rank) noexcept { return (rank - 1) / kChildren; }

/// The first of a rank's children; the others follow it. It may be a rank that does not exist.
constexpr std::uint64_t FirstChildOf(std::uint32_t rank) noexcept {
  return std::uint64_t{rank} * kChildren + 1;
}

/// Number of children of a rank in a job of `ranks`.
constexpr std::uint32_t ChildrenOf(std::uint32_t rank, std::uint32_t ranks) noexcept {
  const std::uint64_t first = FirstChildOf(rank);
  if (first >= ranks) return 0;
  const std::uint64_t left = ranks - first;
  return left < kChildren ? static_cast<std::uint32_t>(left) : kChildren;
}

}  // namespace csink::mpi
