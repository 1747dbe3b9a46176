#pragma once

#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

namespace csink::symbolizer {

/// Tracks which of `count` items are free, and finds the next free one (union-find with path
/// compression). Each item is taken once, so that input with many overlapping ranges costs no more
/// than its size: a loop over the free items of a range does not touch the items that an earlier
/// range took.
///
/// Used where the records of a hostile file (perf map, jitdump) claim ranges of addresses: without
/// it, n records over n addresses would cost n * n steps.
/// Threads: one. Memory: one word for each item.
class FreeItems {
 public:
  /// All of the items 0 to count - 1 are free.
  explicit FreeItems(std::size_t count) : next_(count + 1) {
    std::iota(next_.begin(), next_.end(), std::size_t{0});
  }
  /// The first free item at or behind `item`; `count` if there is none. `item` is at most `count`.
  /// Shortens the links on its way, therefore not const.
  std::size_t From(std::size_t item) {
    std::size_t found = item;
    while (next_[found] != found) found = next_[found];
    while (next_[item] != found) item = std::exchange(next_[item], found);
    return found;
  }
  /// Marks `item` (below `count`) as taken. There is no way back.
  void Take(std::size_t item) { next_[item] = item + 1; }

 private:
  /// For each item: itself if it is free, else an item behind it from which the search goes on. One
  /// entry more than items, which is always free, ends every search.
  std::vector<std::size_t> next_;
};

}  // namespace csink::symbolizer
