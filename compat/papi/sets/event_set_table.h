#pragma once

#include <array>
#include <atomic>
#include <cstddef>

#include "compat/papi/sets/event_set.h"
#include "core/util/cache_line.h"

namespace csink::papi {

/// The event sets by handle.
///
/// A handle is the index of a place, and a new set gets the lowest free one: programs index small
/// arrays with handles. Places are allocated in blocks and never given back to the heap, so a
/// look-up needs no lock. A look-up that meets a set which another thread is destroying finds a
/// valid place whose flag `live` is off. The same handle may denote another set later.
///
/// One object (Sets()), initialised at compile time and never destroyed, so that PAPI_read needs
/// neither a lock nor the guard of a function static.
/// Owns:    the sets.
/// Threads: Find and FindQuick: any. The others: under the library's lock.
/// Signals: Find and FindQuick are safe.
class alignas(kCacheLineBytes) EventSetTable {
 public:
  static constexpr std::size_t kBlockSize = 64;  ///< Places in a block
  static constexpr std::size_t kBlocks = 1024;   ///< 65,536 event sets at most

  /// The set with this handle; nullptr: there is none. One load of the block and one of the flag.
  EventSet* Find(int handle) const noexcept {
    Place* place = PlaceOf(handle);
    return place && place->live.load(std::memory_order_acquire) ? &place->set : nullptr;
  }
  /// How to read the running set `handle` at once; nullptr: ask the set. `live` is not checked: a
  /// set that was destroyed has no QuickRead.
  const QuickRead* FindQuick(int handle) const noexcept {
    const Place* place = PlaceOf(handle);
    return place ? place->set.quick() : nullptr;
  }
  /// A new, empty set; nullptr: the table is full, or no memory.
  EventSet* Create() noexcept;
  /// Stops the set if it runs, closes its counters and frees its handle.
  void Destroy(EventSet& set) noexcept;
  /// Destroys all sets, also those that run. Places stay.
  void Clear() noexcept;

  /// Calls visit(set) for every set. `visit` may destroy the set that it gets, but not create sets.
  template <class F>
  void ForEach(F visit) {
    for (std::size_t i = 0; i < used_; ++i) {
      if (EventSet* set = Live(i)) visit(*set);
    }
  }

 private:
  /// A handle's place. Aligned, so that sets of two threads do not share a cache line.
  struct alignas(kCacheLineBytes) Place {
    std::atomic<bool> live{false};
    EventSet set;
  };
  struct Block {
    std::array<Place, kBlockSize> places;
  };

  /// The place of a handle; nullptr: no block has been made for it. Any int may be passed.
  Place* PlaceOf(int handle) const noexcept {
    const auto place = static_cast<unsigned>(handle);
    if (place >= kBlockSize * kBlocks) return nullptr;  // negative ones, too
    Block* block = blocks_[place / kBlockSize].load(std::memory_order_acquire);
    return block ? &block->places[place % kBlockSize] : nullptr;
  }
  Place& At(std::size_t place) const noexcept;
  /// The set in a place below used_; nullptr: the place is free.
  EventSet* Live(std::size_t place) noexcept;

  std::array<std::atomic<Block*>, kBlocks> blocks_ = {};
  std::size_t used_ = 0;         ///< Places that were ever used
  std::size_t lowest_free_ = 0;  ///< No place below is free
};

/// The event sets of this process.
extern constinit EventSetTable g_sets [[gnu::visibility("hidden")]];
inline EventSetTable& Sets() noexcept { return g_sets; }

}  // namespace csink::papi
