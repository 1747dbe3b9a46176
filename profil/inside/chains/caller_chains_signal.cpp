#include <sys/mman.h>

#include "core/util/mix.h"
#include "core/util/raw_syscall.h"
#include "profil/inside/chains/caller_chains.h"

/// File: from a sample's stack to a chain id. Nodes are numbered by the spool; chain_index finds a
/// node that exists. A chain whose end is not a root of the program is marked (cut or deep), so
/// that a report can say how many stacks are incomplete.

namespace csink {
namespace {

using End = spool::ChainEnd;

}  // namespace

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
  const spool::ChainWay way = way_;
  RawSyscall(SYS_madvise, SyscallArg(this), sizeof(CallerChains), MADV_DONTNEED);
  facts_.Start();
  facts_.set_roots(roots);
  far_ = far;
  way_ = way;
}

std::uint32_t CallerChains::ChainOf(const StackSample& sample, RegionIndex& regions,
                                    SpoolWriter& spool, bool may_ask, ChainStop& stop) noexcept {
  // The other overload begins and ends the facts for itself.
  facts_.Begin(regions, may_ask);
  WalkCallers(sample, facts_, far_, walked_);
  facts_.End();
  // In this way the copy is meant for the innermost frames alone; others need frame pointers.
  if (way_ == spool::ChainWay::kFramePointers && walked_.guessed_from != Callers::kMax &&
      walked_.end == End::kCopyEnded) {
    walked_.EndAt(End::kFramePointers);
  }
  return ChainOf(walked_, regions, spool, may_ask, stop);
}

std::uint32_t CallerChains::ChainOf(const Callers& callers, RegionIndex& regions,
                                    SpoolWriter& spool, bool may_ask, ChainStop& stop) noexcept {
  facts_.Begin(regions, may_ask);
  // Most samples repeat a known chain: its hash gives the id without a walk over the nodes. The
  // hash contains regions.changes(), because an address may belong to other code after a mapping
  // changed.
  std::uint64_t hash = MixBits(regions.changes() * 256 + static_cast<std::uint64_t>(callers.end));
  hash ^= callers.guessed_from;
  for (std::size_t i = 0; i < callers.count; ++i) {
    // Order matters, so this is a multiplicative hash over the sequence. A collision of 64 bits
    // would give a wrong chain; it is not checked.
    hash = (hash ^ callers.pc[i]) * 0x9e3779b97f4a7c15ull + callers.interrupted[i];
    hash ^= hash >> 29;
  }
  hash |= 1;  // 0 marks an empty entry
  Remembered& place = remembered_[MixBits(hash) % kRemembered];
  if (place.hash != hash) {
    ChainStop found = {End::kUnknown, spool::kNone};
    const std::uint32_t id = Resolve(callers, spool, found);
    facts_.End();
    place = {hash, id, found};
  }
  stop = place.stop;
  if (stop.region == spool::kNone) Locate(callers, spool, stop);
  return place.id;
}

void CallerChains::Locate(const Callers& callers, SpoolWriter& spool, ChainStop& stop) noexcept {
  const std::uint64_t code = callers.end_pc != 0 ? callers.end_pc : callers.from;
  stop.region = facts_.RegionOf(code);
  // A return address may lie directly behind the mapping.
  if (stop.region == spool::kNone && code != 0) stop.region = facts_.RegionOf(code - 1);
  if (stop.end != End::kNoRows) return;
  const auto* record = spool.At<spool::RegionRecord>(stop.region);
  if (record == nullptr) {
    stop.end = End::kNotCode;
  } else if ((record->flags & spool::kRegionAnonymous) != 0) {
    stop.end = End::kJit;
  }
}

std::size_t CallerChains::CountValid(const Callers& callers, ChainStop& stop) noexcept {
  for (std::size_t i = 0; i < callers.count; ++i) {
    // An interrupted PC may be any instruction, so there is no call before it to check.
    if (callers.interrupted[i]) {
      regions_of_[i] = facts_.RegionOf(callers.pc[i]);
      continue;
    }
    const CodeFacts::Known known = facts_.Look(callers.pc[i]);
    regions_of_[i] = known.region;
    if (known.what == CodeFacts::Return::kRoot) {
      stop = {facts_.RootOf(callers.pc[i]), known.region};
      return i + 1;
    }
    if (known.what != CodeFacts::Return::kImpossible && known.what != CodeFacts::Return::kNotCode) {
      continue;
    }
    stop.end = known.what == CodeFacts::Return::kNotCode ? End::kNotCode : End::kNotAfterCall;
    // Frame pointers were only tried because the walk had ended before.
    if (i >= callers.guessed_from) stop.end = callers.end;
    if (i >= callers.guessed_from && callers.end_pc != 0) return i;
    if (i > 0) stop.region = regions_of_[i - 1];
    return i;
  }
  stop.end = callers.end;
  if (callers.end_pc == 0 && callers.count > 0) stop.region = regions_of_[callers.count - 1];
  return callers.count;
}

std::uint32_t CallerChains::Resolve(const Callers& callers, SpoolWriter& spool,
                                    ChainStop& stop) noexcept {
  const std::size_t count = CountValid(callers, stop);
  std::uint32_t flags = 0;
  if (stop.end == End::kDepth) {
    flags = spool::kChainDeep;
  } else if (stop.cut()) {
    flags = spool::kChainCut;
  }
  return Build(callers, count, flags, spool, stop);
}

std::uint32_t CallerChains::Build(const Callers& callers, std::size_t count,
                                  std::uint32_t end_flags, SpoolWriter& spool,
                                  ChainStop& stop) noexcept {
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
    stop.end = End::kNoRoom;
    node = index_.FindOrAdd(spool, 0, regions_of_[0], callers.pc[0], spool::kChainCut);
    return node != 0 ? node : empty;
  }
  return node;
}

std::uint32_t CallerChains::Empty(SpoolWriter& spool) noexcept {
  return index_.FindOrAdd(spool, 0, spool::kNone, 0, spool::kChainCut | spool::kChainEmpty);
}

}  // namespace csink
