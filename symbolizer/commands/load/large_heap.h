#pragma once

#include <cstdint>

/// File: memory of large reports in huge pages.

namespace csink::tool {

/// The most bytes that PrepareLargeHeap prepares.
inline constexpr std::uint64_t kLargestHeap = std::uint64_t{256} << 20;

/// Extends the heap by about `bytes`, and asks the kernel for huge pages there. Does nothing below
/// 32 MiB, and at the second call of a process. Memory is used only when it is written to, but then
/// in pieces of 2 MiB. Freed memory stays in the process.
/// Threads: before the process has others.
void PrepareLargeHeap(std::uint64_t bytes);

}  // namespace csink::tool
