#pragma once

#include <cstddef>
#include <cstdint>

#include "core/perf/stack_sample.h"
#include "profil/chains/caller_walk.h"
#include "profil/chains/chain_index.h"
#include "profil/chains/code_facts.h"
#include "profil/regions/region_index.h"
#include "profil/spool/writer.h"

namespace csink {

/// Converts samples with stacks to chain ids of the spool. Contains everything that recording
/// callers needs; it is not mapped if CSINK_STACKS is off.
///
/// Owns:    a mapping of its own with 5 MiB of address space, backed by memory as it is used.
/// Threads: one at a time (the collector's lock); AddThreadRoot: any.
/// Signals: safe (caller_chains_signal.cpp).
class CallerChains {
 public:
  static constexpr std::size_t kMaxKept = 16;

  /// nullptr: out of memory.
  static CallerChains* Map() noexcept;

  CodeFacts& facts() noexcept { return facts_; }
  /// The walker for frames that CodeFacts cannot unwind; nullptr: none.
  void set_far_walk(UnwinderWalk* far) noexcept { far_ = far; }

  /// The id of the chain of callers of `sample`. 0: the sample has none, or the spool has no room
  /// for the chain. `bad`: the chain was cut; its nodes say why (a chain without callers is
  /// kChainEmpty). `may_ask`: system calls are allowed.
  std::uint32_t ChainOf(const StackSample& sample, RegionIndex& regions, SpoolWriter& spool,
                        bool may_ask, bool& bad) noexcept;
  /// The same for callers that the caller of this function found.
  std::uint32_t ChainOf(const Callers& callers, RegionIndex& regions, SpoolWriter& spool,
                        bool may_ask, bool& bad) noexcept;

  /// Stores a sample until the spool is ready.
  void Keep(std::size_t index, const StackSample& sample) noexcept { kept_[index].Keep(sample); }
  const StackSample& kept(std::size_t index) const noexcept { return kept_[index].sample; }

  /// For a forked child, which has a spool of its own and so needs new nodes.
  void Clear() noexcept;

 private:
  static constexpr std::size_t kRemembered = 8 * 1024;
  struct Remembered {
    std::uint64_t hash;
    std::uint32_t id;
    bool bad;
  };

  std::uint32_t Resolve(const Callers& callers, SpoolWriter& spool, bool& bad) noexcept;
  std::uint32_t Build(const Callers& callers, std::size_t count, std::uint32_t end_flags,
                      SpoolWriter& spool, bool& bad) noexcept;
  std::uint32_t Empty(SpoolWriter& spool) noexcept;

  UnwinderWalk* far_;
  Callers walked_;
  std::uint32_t regions_of_[Callers::kMax];
  KeptStackSample kept_[kMaxKept];
  Remembered remembered_[kRemembered];  ///< Whole chains, by the hash of their addresses
  CodeFacts facts_;
  ChainIndex index_;
};

}  // namespace csink
