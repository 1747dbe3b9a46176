#pragma once

#include <cstddef>
#include <cstdint>

#include "profil/format/chain_end.h"
#include "profil/inside/spool/writer.h"

namespace csink {

/// The end of one chain: what was seen there, and the region of the code at which the chain ended.
struct ChainStop {
  // No initial values: it is a member of structures in zeroed memory.
  spool::ChainEnd end;
  std::uint32_t region;

  bool cut() const noexcept { return spool::IsCut(end); }
};

/// Counts chains by their end in records of the spool (spool::ChainEndRecord).
///
/// Owns:    a table in the CallerChains' mapping; zero at first.
/// Threads: one at a time (the collector's lock).
/// Signals: safe (chain_ends_signal.cpp).
class ChainEnds {
 public:
  /// Counts one chain that ended at `stop`. `copied_bytes`: what was copied of the stack. The
  /// spool must be open, and the same one until the table is zeroed. Without room in the spool
  /// nothing is counted.
  void Count(SpoolWriter& spool, spool::ChainWay way, const ChainStop& stop,
             std::uint32_t copied_bytes) noexcept;

 private:
  /// Records with a region; further ones have kNone, of which there are kReserved at most.
  static constexpr std::size_t kPlaces = 512;
  static constexpr std::size_t kReserved = 2 * spool::kChainEndCount;

  struct Entry {
    spool::ChainEnd end;
    spool::ChainWay way;
    std::uint32_t region;
    std::uint32_t id_plus_one;  ///< 0: unused
  };
  /// The entry of this key, used or not; nullptr: the table is full.
  Entry* Find(spool::ChainWay way, const ChainStop& stop) noexcept;

  std::size_t used_;
  Entry entries_[kPlaces];  ///< A hash table with open addressing
};

}  // namespace csink
