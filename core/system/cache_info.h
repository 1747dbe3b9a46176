#pragma once

#include <cstdint>
#include <vector>

#include "core/system/cpuid.h"
#include "core/system/system_tree.h"

/// File: caches and TLBs of one CPU (the first online one: on a hybrid CPU a fast core).
///
/// Caches from sysfs, else from cpuid leaf 4 or 0x8000001D; TLBs from cpuid alone (0x18, 2,
/// 0x80000005, 6 and 0x19), so that there are none on Arm. Threads: any.

namespace csink {

enum class CacheKind : unsigned char { kInstruction, kData, kUnified };

/// Associativity of a cache or TLB whose every line may hold everything.
inline constexpr unsigned kFullyAssociative = ~0u;

struct Cache {
  unsigned level = 0;  ///< From 1
  CacheKind kind = CacheKind::kUnified;
  std::uint64_t size_bytes = 0;
  unsigned line_bytes = 0;
  unsigned lines = 0;
  unsigned ways = 0;  ///< 1: direct mapped; kFullyAssociative; 0: not known
  bool writes_back = false;
  bool writes_through = false;
  bool allocates_on_read = false;
  bool allocates_on_write = false;
};

struct Tlb {
  unsigned level = 0;
  CacheKind kind = CacheKind::kUnified;
  unsigned entries = 0;
  std::uint64_t page_bytes = 0;
  unsigned ways = 0;  ///< As Cache::ways
};

/// By level, in a level instruction before data before unified.
std::vector<Cache> ReadCaches(const SystemTree& tree, const CpuidFunction& cpuid);
/// The same order, small pages before large ones.
std::vector<Tlb> ReadTlbs(const CpuidFunction& cpuid);

}  // namespace csink
