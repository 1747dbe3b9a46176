#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "profil/reading/merge/merge_modules.h"
#include "profil/reading/merge/merge_python.h"
#include "profil/reading/model/profile.h"
#include "profil/reading/reader/reader.h"

namespace csink {

/// Marks the chains of a spool that `records` refer to by their member `chain`, and all of their
/// parents. By chain id; entry 0 is never marked.
template <class Records, class Member>
std::vector<bool> ChainsOf(const spool::Spool& spool, const Records& records, Member chain) {
  std::vector<bool> wanted(spool.chains.size() + 1);
  for (const auto& record : records) wanted[record.*chain] = true;
  // A parent has a smaller id than its children.
  for (std::size_t id = wanted.size() - 1; id > 0; --id) {
    if (wanted[id]) wanted[spool.chains[id - 1].parent] = true;
  }
  wanted[0] = false;  // No callers
  return wanted;
}

/// The tree of callers of a merge. Two nodes are the same if their address, their flags and their
/// whole chain of parents are. Entry 0 means "no callers"; it exists as soon as a spool had chains.
/// Places refer to the node of their direct caller; each node refers to its own caller.
///
/// Owns:    its nodes until Take.
/// Threads: one owner.
class CallerTree {
 public:
  /// `max_nodes`: with entry 0. Further nodes, and chains that contain them, become 0.
  explicit CallerTree(std::size_t max_nodes) noexcept : max_nodes_(max_nodes) {}

  /// Adds the chains of a spool. Returns the node by chain id; empty if the spool has no chains.
  /// `wanted`, by chain id: the others are left out (ChainsOf); empty: all are wanted.
  std::vector<std::uint32_t> Add(const spool::Spool& spool, SpoolCode& code,
                                 const SpoolPython& python, const std::vector<bool>& wanted = {});
  /// The node of `address` with these flags that `caller` called, added if it is new; 0: no room.
  std::uint32_t Node(const CodeAddress& address, std::uint32_t caller, std::uint32_t flags);
  /// True if a node was left out because of the limit.
  bool is_full() const noexcept { return is_full_; }
  /// The nodes, parents before their children. Call this last.
  std::vector<Caller> Take() noexcept {
    // Without a caller: places in Python code alone, or damage.
    if (nodes_.size() == 1) nodes_.clear();
    return std::move(nodes_);
  }

 private:
  // Identity of a node: equal keys are one entry of nodes_.
  struct Key {
    CodeAddress address;
    std::uint32_t parent;
    std::uint32_t flags;
    bool operator==(const Key& other) const noexcept {
      return address.offset == other.address.offset && address.module == other.address.module &&
             parent == other.parent && flags == other.flags;
    }
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const noexcept {
      return HashOf(key.address, key.parent, key.flags);
    }
  };

  std::size_t max_nodes_;
  bool is_full_ = false;
  std::vector<Caller> nodes_;
  std::unordered_map<Key, std::uint32_t, KeyHash> index_;
};

}  // namespace csink
