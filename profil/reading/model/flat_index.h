#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

/// File: finds equal elements of a large table without an allocation for each of them.

namespace csink {

/// Mixes a number into a hash. The multiplier is 2^64 divided by the golden ratio.
constexpr std::uint64_t Mix(std::uint64_t hash, std::uint64_t number) noexcept {
  return (hash ^ number) * 0x9e3779b97f4a7c15ull ^ (hash >> 29);
}

/// A hash of a text's length and last bytes. Names and paths differ at their ends; those that do
/// not are told apart by the comparison that follows.
inline std::uint64_t HashOfEnd(std::string_view text) noexcept {
  std::uint64_t last[2] = {};
  const std::size_t bytes = text.size() < sizeof last ? text.size() : sizeof last;
  if (bytes != 0) std::memcpy(last, text.data() + text.size() - bytes, bytes);
  return Mix(Mix(text.size(), last[0]), last[1]);
}

/// Indices of a table's elements by their hashes. The table itself is elsewhere. Open addressing
/// with linear probing, at most half full.
/// Threads: one.
class FlatIndex {
 public:
  /// Makes room for so many elements. Call it first.
  void Reserve(std::size_t elements) {
    std::size_t slots = 64;
    while (slots < 2 * (elements + 1)) slots *= 2;
    slots_.resize(slots);
  }
  /// The index i of the element with this hash for which equal(i) is true. Without one, `next` is
  /// entered under the hash and returned; the caller then appends the element.
  template <class Equal>
  std::uint32_t FindOrAdd(std::uint64_t hash, std::size_t next, const Equal& equal) {
    if (2 * (used_ + 1) > slots_.size()) Grow();
    Slot& slot = slots_[SlotOf(hash, equal)];
    if (slot.index_plus_one == 0) {
      slot = {static_cast<std::uint32_t>(next) + 1, TagOf(hash)};
      ++used_;
    }
    return slot.index_plus_one - 1;
  }
  /// As FindOrAdd, for an element that is in the table.
  template <class Equal>
  std::uint32_t Find(std::uint64_t hash, const Equal& equal) const {
    return slots_[SlotOf(hash, equal)].index_plus_one - 1;
  }

 private:
  struct Slot {
    std::uint32_t index_plus_one = 0;  ///< 0: free
    std::uint32_t tag = 0;             ///< Upper half of the hash; its low bits choose the slot
  };

  static std::uint32_t TagOf(std::uint64_t hash) { return static_cast<std::uint32_t>(hash >> 32); }

  /// The slot of the element, or the free one in which it belongs.
  template <class Equal>
  std::size_t SlotOf(std::uint64_t hash, const Equal& equal) const {
    const std::uint32_t tag = TagOf(hash);
    std::size_t at = tag & (slots_.size() - 1);
    while (slots_[at].index_plus_one != 0 &&
           (slots_[at].tag != tag || !equal(slots_[at].index_plus_one - 1))) {
      at = (at + 1) & (slots_.size() - 1);
    }
    return at;
  }

  void Grow() {
    std::vector<Slot> larger(slots_.empty() ? 64 : 2 * slots_.size());
    for (const Slot& slot : slots_) {
      if (slot.index_plus_one == 0) continue;
      std::size_t at = slot.tag & (larger.size() - 1);
      while (larger[at].index_plus_one != 0) at = (at + 1) & (larger.size() - 1);
      larger[at] = slot;
    }
    slots_ = std::move(larger);
  }

  std::vector<Slot> slots_;
  std::size_t used_ = 0;
};

}  // namespace csink
