#include "profil/reading/merge/merge_callers.h"

/// File: the tree of callers. Chains of different processes meet where their modules do, whatever
/// the addresses of the mappings were.

namespace csink {

std::vector<std::uint32_t> CallerTree::Add(const spool::Spool& spool, SpoolCode& code,
                                           const SpoolPython& python,
                                           const std::vector<bool>& wanted) {
  std::vector<std::uint32_t> node_of;
  if (spool.chains.empty()) return node_of;
  if (nodes_.empty()) nodes_.emplace_back();
  // One pass is enough: a chain's parent comes before it, in the spool and in the tree. Chain id 0
  // means "no callers" and stays 0.
  node_of.resize(spool.chains.size() + 1);
  for (std::size_t i = 0; i < spool.chains.size(); ++i) {
    if (!wanted.empty() && !wanted[i + 1]) continue;
    const spool::Chain& chain = spool.chains[i];
    const std::uint32_t parent = node_of[chain.parent];
    if (chain.parent != 0 && parent == 0) continue;  // The parent was dropped (limit)
    // A node without an address stands for unknown callers; it must not become "[unknown]" code.
    const bool is_empty = (chain.flags & spool::kChainEmpty) != 0;
    if (python.LeavesOut(chain)) continue;
    CodeAddress address;
    if ((chain.flags & spool::kChainPython) != 0) {
      address = python.AddressOf(chain);
      // Damage: the sample has no callers then.
      if (address.module == kNoModule) continue;
    } else if (!is_empty) {
      address = code.AddressOrUnknown(chain.region, chain.pc);
    }
    node_of[i + 1] = Node(address, parent, chain.flags);
  }
  return node_of;
}

std::uint32_t CallerTree::Node(const CodeAddress& address, std::uint32_t caller,
                               std::uint32_t flags) {
  const Key key{address, caller, flags};
  const auto known = index_.find(key);
  if (known != index_.end()) return known->second;
  // The samples of this chain lose their callers, as do chains that contain this node.
  if (nodes_.size() >= max_nodes_) {
    is_full_ = true;
    return 0;
  }
  const auto index = static_cast<std::uint32_t>(nodes_.size());
  index_.emplace(key, index);
  nodes_.push_back({.address = address, .parent = caller, .flags = flags});
  return index;
}

}  // namespace csink
