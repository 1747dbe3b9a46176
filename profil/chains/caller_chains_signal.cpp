#include <sys/mman.h>

#include "core/util/mix.h"
#include "core/util/raw_syscall.h"
#include "profil/chains/caller_chains.h"

/// File: from a sample's stack to a chain id. Nodes are numbered by the spool; chain_index finds a
/// node that exists. A chain whose end is not a root of the program is marked (cut or deep), so
/// that a report can say how many stacks are incomplete.

namespace csink {

CallerChains* CallerChains::Map() noexcept {
  const long r = RawSyscall(SYS_mmap, 0, sizeof(CallerChains), PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (r < 0 && r > -4096) return nullptr;
  // Zero is the initial state of all members; only exceptions are written, so that pages stay
  // untouched.
  auto* chains = reinterpret_cast<CallerChains*>(r);
  chains->facts_.Start();
  return chains;
}

/// MADV_DONTNEED zeroes the pages and frees them, which is faster than writing 5 MiB.
void CallerChains::Clear() noexcept {
  const CodeFacts::Roots roots = facts_.roots();
  UnwinderWalk* far = far_;
  RawSyscall(SYS_madvise, SyscallArg(this), sizeof(CallerChains), MADV_DONTNEED);
  facts_.Start();
  facts_.set_roots(roots);
  far_ = far;
}

std::uint32_t CallerChains::ChainOf(const StackSample& sample, RegionIndex& regions,
                                    SpoolWriter& spool, bool may_ask, bool& bad) noexcept {
  // The other overload begins and ends the facts for itself.
  facts_.Begin(regions, may_ask);
  WalkCallers(sample, facts_, far_, walked_);
  facts_.End();
  return ChainOf(walked_, regions, spool, may_ask, bad);
}

std::uint32_t CallerChains::ChainOf(const Callers& callers, RegionIndex& regions,
                                    SpoolWriter& spool, bool may_ask, bool& bad) noexcept {
  facts_.Begin(regions, may_ask);
  // Most samples repeat a known chain: its hash gives the id without a walk over the nodes. The
  // hash contains regions.changes(), because an address may belong to other code after a mapping
  // changed.
  std::uint64_t hash =
      MixBits(regions.changes() * 8 + callers.complete * 4 + callers.cut * 2 + callers.deep);
  for (std::size_t i = 0; i < callers.count; ++i) {
    // Order matters, so this is a multiplicative hash over the sequence. A collision of 64 bits
    // would give a wrong chain; it is not checked.
    hash = (hash ^ callers.pc[i]) * 0x9e3779b97f4a7c15ull + callers.interrupted[i];
    hash ^= hash >> 29;
  }
  hash |= 1;  // 0 marks an empty entry
  Remembered& place = remembered_[MixBits(hash) % kRemembered];
  if (place.hash != hash) {
    bool cut = false;
    const std::uint32_t id = Resolve(callers, spool, cut);
    facts_.End();
    place = {hash, id, cut};
  }
  bad = place.bad;
  return place.id;
}

std::uint32_t CallerChains::Resolve(const Callers& callers, SpoolWriter& spool,
                                    bool& bad) noexcept {
  std::size_t count = 0;
  bool ended = false;
  bool broken = callers.cut;
  for (; count < callers.count && !ended; ++count) {
    // An interrupted PC may be any instruction, so there is no call before it to check.
    if (callers.interrupted[count]) {
      regions_of_[count] = facts_.RegionOf(callers.pc[count]);
      continue;
    }
    const CodeFacts::Known known = facts_.Look(callers.pc[count]);
    if (known.what == CodeFacts::Return::kImpossible) {
      broken = true;
      break;
    }
    regions_of_[count] = known.region;
    ended = known.what == CodeFacts::Return::kRoot;
  }
  std::uint32_t flags = 0;
  if (!ended) {
    if (broken) {
      flags = spool::kChainCut;
    } else if (callers.deep) {
      flags = spool::kChainDeep;
    } else if (!callers.complete) {
      flags = spool::kChainCut;  // The frame pointers ended, but not at a root
    }
  }
  bad = flags != 0;
  return Build(callers, count, flags, spool, bad);
}

std::uint32_t CallerChains::Build(const Callers& callers, std::size_t count,
                                  std::uint32_t end_flags, SpoolWriter& spool, bool& bad) noexcept {
  // The node for "no callers" is made first, so that it exists when there is no room for others.
  const std::uint32_t empty = Empty(spool);
  if (count == 0 && end_flags != 0) return empty;
  std::uint32_t node = 0;
  for (std::size_t i = count; i-- > 0;) {
    const std::uint32_t flags =
        (i + 1 == count ? end_flags : 0) | (callers.interrupted[i] ? spool::kChainSignal : 0);
    node = index_.FindOrAdd(spool, node, regions_of_[i], callers.pc[i], flags);
    if (node != 0) continue;
    // No room: the direct caller may already exist as the end of another chain.
    bad = true;
    node = index_.FindOrAdd(spool, 0, regions_of_[0], callers.pc[0], spool::kChainCut);
    return node != 0 ? node : empty;
  }
  return node;
}

std::uint32_t CallerChains::Empty(SpoolWriter& spool) noexcept {
  return index_.FindOrAdd(spool, 0, spool::kNone, 0, spool::kChainCut | spool::kChainEmpty);
}

}  // namespace csink
