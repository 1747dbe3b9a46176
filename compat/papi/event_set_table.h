#pragma once

#include <array>
#include <atomic>
#include <cstddef>

#include "compat/papi/event_set.h"
#include "core/util/cache_line.h"

namespace csink::papi {

/// The event sets by handle.
///
/// A handle is the index of a place, and a new set gets the lowest free one: programs index small
/// arrays with handles. Places are never given back to the heap, so a look-up needs no lock, and
/// one that meets a set being destroyed by another thread finds a place that says so.
///
/// Owns:    the sets.
/// Threads: Find: any. The others: under the library's lock.
/// Signals: Find is safe.
class alignas(kCacheLineBytes) EventSetTable {
 public:
  static constexpr std::size_t kBlockSize = 64;
  static constexpr std::size_t kBlocks = 1024;

  EventSetTable() noexcept = default;
  ~EventSetTable();

  EventSet* Find(int handle) const noexcept {
    Place* place = PlaceOf(handle);
    return place && place->live.load(std::memory_order_acquire) ? &place->set : nullptr;
  }
  /// How to read the running set `handle` at once; nullptr: ask the set.
  const QuickRead* FindQuick(int handle) const noexcept {
    const Place* place = PlaceOf(handle);
    return place ? place->set.quick() : nullptr;
  }
  /// A new, empty set; nullptr: the table is full, or no memory.
  EventSet* Create() noexcept;
  void Destroy(EventSet& set) noexcept;
  /// Destroys all.
  void Clear() noexcept;

  template <class F>
  void ForEach(F visit) {
    for (std::size_t i = 0; i < used_; ++i) {
      if (EventSet* set = Live(i)) visit(*set);
    }
  }

 private:
  struct alignas(kCacheLineBytes) Place {
    std::atomic<bool> live{false};
    EventSet set;
  };
  struct Block {
    std::array<Place, kBlockSize> places;
  };

  Place* PlaceOf(int handle) const noexcept {
    const auto place = static_cast<unsigned>(handle);
    if (place >= kBlockSize * kBlocks) return nullptr;  // negative ones, too
    Block* block = blocks_[place / kBlockSize].load(std::memory_order_acquire);
    return block ? &block->places[place % kBlockSize] : nullptr;
  }
  Place& At(std::size_t place) const noexcept;
  EventSet* Live(std::size_t place) noexcept;

  std::array<std::atomic<Block*>, kBlocks> blocks_ = {};
  std::size_t used_ = 0;         ///< Places that were ever used
  std::size_t lowest_free_ = 0;  ///< No place below is free
};

}  // namespace csink::papi
