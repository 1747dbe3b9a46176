#include "symbolizer/commands/load/large_heap.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <vector>

namespace csink::tool {
namespace {

std::uintptr_t EndOfHeap() { return reinterpret_cast<std::uintptr_t>(sbrk(0)); }

TEST(PrepareLargeHeap, ExtendsTheHeapOnceAndForLargeReportsOnly) {
  const std::uintptr_t before = EndOfHeap();
  PrepareLargeHeap(1 << 20);
  EXPECT_EQ(EndOfHeap(), before);
  // Above the limit.
  PrepareLargeHeap(4 * kLargestHeap);
  const std::uintptr_t after = EndOfHeap();
#ifndef __SANITIZE_ADDRESS__
  // What the heap had left is a part of it.
  EXPECT_GE(after - before, kLargestHeap * 9 / 10);
  EXPECT_LE(after - before, kLargestHeap * 11 / 10);
#endif
  PrepareLargeHeap(kLargestHeap);
  EXPECT_EQ(EndOfHeap(), after);
  // Memory can be used as before.
  std::vector<std::uint64_t> numbers(std::size_t{1} << 22, 7);
  EXPECT_EQ(numbers.back(), 7u);
}

}  // namespace
}  // namespace csink::tool
