#pragma once

#include <cstddef>
#include <cstdint>

#include "core/perf/stack_sample.h"
#include "profil/inside/chains/caller_walk.h"
#include "profil/inside/chains/chain_ends.h"
#include "profil/inside/chains/chain_index.h"
#include "profil/inside/chains/code_facts.h"
#include "profil/inside/regions/region_index.h"
#include "profil/inside/spool/writer.h"

namespace csink {

/// Converts samples with stacks to chain ids of the spool. Contains everything that recording
/// callers needs; it is not mapped if CSINK_STACKS is off.
///
/// A sample's callers are found (WalkCallers), checked (CodeFacts), and stored as nodes that share
/// their common outer part (ChainIndex). Whole chains are remembered by a hash, because most
/// samples repeat one.
///
/// Owns:    a mapping of its own with 5 MiB of address space, backed by memory as it is used.
/// Threads: one at a time (the collector's lock); AddThreadRoot: any.
/// Signals: safe (caller_chains_signal.cpp), if the handler got the lock.
class CallerChains {
 public:
  /// Samples with stacks that can wait for a spool.
  static constexpr std::size_t kMaxKept = 16;

  /// Maps a new object, all zero but for its exceptions. nullptr: out of memory. Never unmapped.
  static CallerChains* Map() noexcept;

  /// What is known of code; its roots are set before the first sample.
  CodeFacts& facts() noexcept { return facts_; }
  /// The nodes, for chains that were found in another way.
  ChainIndex& index() noexcept { return index_; }
  /// Sums of the ends of chains.
  ChainEnds& ends() noexcept { return ends_; }
  /// How chains of samples are found, for their sums.
  void set_way(spool::ChainWay way) noexcept { way_ = way; }
  spool::ChainWay way() const noexcept { return way_; }
  /// The walker for frames that CodeFacts cannot unwind; nullptr: none.
  void set_far_walk(UnwinderWalk* far) noexcept { far_ = far; }

  /// The id of the chain of callers of `sample`. 0: the sample has none, or the spool has no room
  /// for the chain. `stop`: how the chain ended (a chain without callers that is cut is
  /// kChainEmpty). `may_ask`: system calls are allowed.
  std::uint32_t ChainOf(const StackSample& sample, RegionIndex& regions, SpoolWriter& spool,
                        bool may_ask, ChainStop& stop) noexcept;
  /// The same for `callers` that are known already. Stops at the first address that is no return
  /// address, or at a root.
  std::uint32_t ChainOf(const Callers& callers, RegionIndex& regions, SpoolWriter& spool,
                        bool may_ask, ChainStop& stop) noexcept;

  /// Copies a sample until the spool is ready. `index` < kMaxKept: its place among the pending
  /// samples.
  void Keep(std::size_t index, const StackSample& sample) noexcept { kept_[index].Keep(sample); }
  const StackSample& kept(std::size_t index) const noexcept { return kept_[index].sample; }

  /// Forgets all nodes and caches, but not the roots and the far walker. For a forked child and a
  /// new start: the next spool needs new nodes.
  void Clear() noexcept;

 private:
  /// Entries of the cache of whole chains; a newer chain replaces an older one in its place.
  static constexpr std::size_t kRemembered = 8 * 1024;
  /// A chain's hash (0: unused), its id in the spool, and its end. The region is kNone where it is
  /// that of Callers::end_pc, which may differ between samples.
  struct Remembered {
    std::uint64_t hash;
    std::uint32_t id;
    ChainStop stop;
  };

  /// Checks each address of `callers`, finds why the chain ends, and builds its nodes.
  std::uint32_t Resolve(const Callers& callers, SpoolWriter& spool, ChainStop& stop) noexcept;
  /// Number of addresses that are callers; `stop`: the end of the chain behind them.
  std::size_t CountValid(const Callers& callers, ChainStop& stop) noexcept;
  /// Adds the region where the walk ended.
  void Locate(const Callers& callers, SpoolWriter& spool, ChainStop& stop) noexcept;
  /// Adds the nodes of the first `count` callers, from the outermost to the direct caller, whose id
  /// is returned. `end_flags`: kChain* of the outermost one.
  std::uint32_t Build(const Callers& callers, std::size_t count, std::uint32_t end_flags,
                      SpoolWriter& spool, ChainStop& stop) noexcept;
  /// The node for a sample without callers.
  std::uint32_t Empty(SpoolWriter& spool) noexcept;

  /// nullptr: none
  UnwinderWalk* far_;
  spool::ChainWay way_;
  /// Result of the last walk: too large for a small stack
  Callers walked_;
  /// Regions of the callers that Resolve checks
  std::uint32_t regions_of_[Callers::kMax];
  /// Stacks of samples that wait for the spool
  KeptStackSample kept_[kMaxKept];
  Remembered remembered_[kRemembered];  ///< Whole chains, by the hash of their addresses
  CodeFacts facts_;
  ChainIndex index_;
  ChainEnds ends_;
};

}  // namespace csink
