#pragma once

#include <cstddef>
#include <cstdint>

#include "profil/inside/spool/writer.h"

namespace csink {

/// Finds the node of the spool for (parent, region, pc, flags); each node exists once, so that
/// chains share their outer part.
///
/// Owns:    4 MiB in the CallerChains' mapping; zero at first, backed by memory as it fills.
/// Threads: one at a time (the collector's lock).
/// Signals: safe (chain_index_signal.cpp).
class ChainIndex {
 public:
  /// Nodes of a process; further chains are cut (CallerChains::Build).
  static constexpr std::uint32_t kMaxNodes = 128 * 1024;

  /// The id of the node, which is added to `spool` if it is new; 0: there is no room in the index
  /// or in the spool. `parent`: id of the caller's caller, 0: none. `flags`: kChain*. The nodes
  /// must all be of one spool.
  std::uint32_t FindOrAdd(SpoolWriter& spool, std::uint32_t parent, std::uint32_t region,
                          std::uint64_t pc, std::uint32_t flags) noexcept;
  /// Number of nodes.
  std::uint32_t size() const noexcept { return count_; }

 private:
  /// As spool::ChainNode.
  struct Node {
    std::uint64_t pc;
    std::uint32_t region;
    std::uint32_t parent;
    std::uint32_t flags;
  };
  /// Twice as many places as nodes, so that the table is at most half full and every search ends.
  static constexpr std::uint32_t kPlaces = 2 * kMaxNodes;

  /// Nodes so far; the last id
  std::uint32_t count_;
  Node nodes_[kMaxNodes];          ///< By id - 1
  std::uint32_t places_[kPlaces];  ///< Hash table of ids with open addressing; 0: free
};

}  // namespace csink
