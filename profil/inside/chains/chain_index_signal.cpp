#include "core/util/mix.h"
#include "profil/inside/chains/chain_index.h"

/// File: a hash table with open addressing in fixed memory, because handlers cannot allocate. Nodes
/// are never removed, so a free place ends every search.

namespace csink {

std::uint32_t ChainIndex::FindOrAdd(SpoolWriter& spool, std::uint32_t parent, std::uint32_t region,
                                    std::uint64_t pc, std::uint32_t flags) noexcept {
  // Equal sums of different members only cost a comparison: the loop compares all of them.
  const std::uint64_t key = (static_cast<std::uint64_t>(region) << 32 | parent) + flags;
  std::uint64_t place = MixBits(pc ^ MixBits(key)) % kPlaces;
  // The table is at most half full, so that the search ends.
  for (; places_[place] != 0; place = (place + 1) % kPlaces) {
    const Node& node = nodes_[places_[place] - 1];
    if (node.pc == pc && node.parent == parent && node.region == region && node.flags == flags) {
      return places_[place];
    }
  }
  if (count_ == kMaxNodes) return 0;
  spool::ChainNode record = {};
  record.pc = pc;
  record.region = region;
  record.parent = parent;
  record.flags = flags;
  const std::uint32_t id = spool.Add(record);
  // The node is entered here after the spool has it, so that no id refers to a missing record.
  // The spool numbers nodes in the same order. kNone, or another number, means that it had no room.
  if (id != count_ + 1) return 0;
  nodes_[count_++] = {pc, region, parent, flags};
  places_[place] = id;
  return id;
}

}  // namespace csink
