#pragma once

#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

namespace csink::symbolizer {

/// Tracks which of `count` items are free, and finds the next free one (union-find with path
/// compression). Each item is taken once, so that input with many overlapping ranges costs no more
/// than its size.
class FreeItems {
 public:
  explicit FreeItems(std::size_t count) : next_(count + 1) {
    std::iota(next_.begin(), next_.end(), std::size_t{0});
  }
  /// The first free item at or behind `item`; `count` if there is none.
  std::size_t From(std::size_t item) {
    std::size_t found = item;
    while (next_[found] != found) found = next_[found];
    while (next_[item] != found) item = std::exchange(next_[item], found);
    return found;
  }
  void Take(std::size_t item) { next_[item] = item + 1; }

 private:
  std::vector<std::size_t> next_;
};

}  // namespace csink::symbolizer
