#pragma once

#include <cstdint>
#include <vector>

#include "core/counting/system/cpuid.h"
#include "core/counting/system/system_tree.h"

/// File: caches and TLBs of one processor: the first online one, which on a hybrid machine is a
/// performance core.
///
/// Caches come from sysfs, or where that has none from CPUID leaf 4, 0x8000001D, or 0x80000005 and
/// 6 (hypervisors that leave the newer leaf empty). TLBs come from CPUID alone (leaves 0x18, 2,
/// 0x80000005, 6 and 0x19), so there are none on Arm. Values that are not known are 0. Threads:
/// any. Signals: not safe (heap).

namespace csink {

/// What a cache or TLB holds. In the order in which lists are sorted.
enum class CacheKind : unsigned char { kInstruction, kData, kUnified };

/// Associativity of a cache or TLB in which every entry may hold any address.
inline constexpr unsigned kFullyAssociative = ~0u;

/// One cache as the first processor sees it; it may be shared with others. Of equal caches that
/// several cores have, there is one element.
struct Cache {
  unsigned level = 0;  ///< From 1
  CacheKind kind = CacheKind::kUnified;
  std::uint64_t size_bytes = 0;
  unsigned line_bytes = 0;
  /// size_bytes / line_bytes.
  unsigned lines = 0;
  unsigned ways = 0;  ///< 1: direct mapped; kFullyAssociative; 0: unknown
  /// Policies, from sysfs alone. Both of a pair false: unknown.
  bool writes_back = false;
  bool writes_through = false;
  bool allocates_on_read = false;
  bool allocates_on_write = false;
};

/// One TLB, for one page size: a TLB that holds pages of two sizes has two elements.
struct Tlb {
  unsigned level = 0;
  CacheKind kind = CacheKind::kUnified;
  unsigned entries = 0;
  /// Size of the pages whose addresses the entries hold.
  std::uint64_t page_bytes = 0;
  unsigned ways = 0;  ///< As Cache::ways
};

/// Associativity as CPUID gives it on AMD: of level 1 in eight bits (APM volume 3, E.4.5), of level
/// 2 and 3 in four (table E-4). 0: unknown.
constexpr unsigned WaysOfAmdLevelOne(unsigned byte) noexcept {
  return (byte & 0xff) == 0xff ? kFullyAssociative : byte & 0xff;
}
constexpr unsigned WaysOfAmd(unsigned nibble) noexcept {
  constexpr unsigned kWays[16] = {0,  1, 2,  3,  4,  6,  8,   0,
                                  16, 0, 32, 48, 64, 96, 128, kFullyAssociative};
  return kWays[nibble & 15];
}

/// All caches, sorted by level; within a level instruction, data, unified. Empty where no source
/// knows them. `cpuid` answers for the processor; tests pass a recording.
std::vector<Cache> ReadCaches(const SystemTree& tree, const CpuidFunction& cpuid);
/// All TLBs, sorted by level, page size and kind. Empty where CPUID does not describe them.
std::vector<Tlb> ReadTlbs(const CpuidFunction& cpuid);

}  // namespace csink
