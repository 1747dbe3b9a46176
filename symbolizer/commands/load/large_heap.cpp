#include "symbolizer/commands/load/large_heap.h"

#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

/// File: the settings of glibc's malloc. Its own setting for huge pages (glibc.malloc.hugetlb) is a
/// variable of the environment, which a program cannot set for itself.

namespace csink::tool {

void PrepareLargeHeap(std::uint64_t bytes) {
  constexpr std::uint64_t kLeast = std::uint64_t{32} << 20;
  constexpr std::uintptr_t kHugePage = std::uintptr_t{2} << 20;
  // The most that mallopt takes (HEAP_MAX_SIZE / 2).
  constexpr int kMostThreshold = 32 << 20;
  static bool is_prepared = false;
  if (bytes < kLeast || is_prepared) return;
  is_prepared = true;
  bytes = std::min(bytes, kLargestHeap);
  // Vectors that grow would otherwise be given back to the kernel at each step, and be faulted in
  // again.
  if (mallopt(M_MMAP_THRESHOLD, kMostThreshold) == 0) return;  // Another malloc
  // Above the size of the whole heap: free would otherwise return what was prepared.
  mallopt(M_TRIM_THRESHOLD, static_cast<int>(2 * kLargestHeap));
  // More than the heap has in one piece, so that it is extended, and less than the threshold.
  constexpr std::size_t kMore = std::size_t{31} << 20;
  mallopt(M_TOP_PAD, static_cast<int>(bytes - kMore));
  void* const more = std::malloc(kMore);
  const auto begin = reinterpret_cast<std::uintptr_t>(more);
  const auto end = reinterpret_cast<std::uintptr_t>(sbrk(0));
  std::free(more);
  mallopt(M_TOP_PAD, static_cast<int>(kHugePage));
  // Elsewhere if brk(2) failed.
  if (more == nullptr || begin > end || end - begin > 2 * kLargestHeap) return;
  const std::uintptr_t first = (begin + kHugePage - 1) & ~(kHugePage - 1);
  const std::uintptr_t last = end & ~(kHugePage - 1);
  // Without huge pages the kernel refuses, and nothing changes.
  if (first < last) (void)madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
}

}  // namespace csink::tool
