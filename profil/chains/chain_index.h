#pragma once

#include <cstddef>
#include <cstdint>

#include "profil/spool/writer.h"

namespace csink {

/// Which node of the spool is (parent, region, pc, flags): each exists once.
///
/// Owns:    4 MiB, all zero at first and touched as it fills; lives in the CallerChains' mapping.
/// Threads: one at a time (the collector's lock). Signals: safe (chain_index_signal.cpp).
class ChainIndex {
 public:
  static constexpr std::uint32_t kMaxNodes = 128 * 1024;

  /// The node's id, made in `spool` when it is new; 0 when there is no room.
  std::uint32_t FindOrAdd(SpoolWriter& spool, std::uint32_t parent, std::uint32_t region,
                          std::uint64_t pc, std::uint32_t flags) noexcept;
  std::uint32_t size() const noexcept { return count_; }

 private:
  struct Node {
    std::uint64_t pc;
    std::uint32_t region;
    std::uint32_t parent;
    std::uint32_t flags;
  };
  static constexpr std::uint32_t kPlaces = 2 * kMaxNodes;

  std::uint32_t count_;
  Node nodes_[kMaxNodes];          ///< By id - 1
  std::uint32_t places_[kPlaces];  ///< Ids, open-addressed; 0: free
};

}  // namespace csink
