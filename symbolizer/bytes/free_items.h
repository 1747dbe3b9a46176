#pragma once

#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

namespace csink::symbolizer {

/// Which of many items are still free, asked for "the next free one": each is taken once,
/// so that maps full of overlaps cost no more than others.
class FreeItems {
 public:
  explicit FreeItems(std::size_t count) : next_(count + 1) {
    std::iota(next_.begin(), next_.end(), std::size_t{0});
  }
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
