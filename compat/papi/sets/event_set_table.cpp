#include "compat/papi/sets/event_set_table.h"

#include <algorithm>
#include <new>

namespace csink::papi {

constinit EventSetTable g_sets;

// `place` must be below used_: its block exists.
EventSetTable::Place& EventSetTable::At(std::size_t place) const noexcept {
  return blocks_[place / kBlockSize].load(std::memory_order_relaxed)->places[place % kBlockSize];
}

EventSet* EventSetTable::Live(std::size_t place) noexcept {
  Place& found = At(place);
  return found.live.load(std::memory_order_relaxed) ? &found.set : nullptr;
}

// Searches upwards from lowest_free_, below which no place is free. The block is stored with
// release, so that a thread that sees its pointer also sees constructed places. `live` is set last:
// Find must not return a set that has no handle yet.
EventSet* EventSetTable::Create() noexcept {
  std::size_t place = lowest_free_;
  while (place < used_ && At(place).live.load(std::memory_order_relaxed)) ++place;
  lowest_free_ = place;
  if (place == kBlockSize * kBlocks) return nullptr;
  if (place == used_) {
    auto& slot = blocks_[place / kBlockSize];
    if (slot.load(std::memory_order_relaxed) == nullptr) {
      Block* block = new (std::nothrow) Block;
      if (block == nullptr) return nullptr;
      slot.store(block, std::memory_order_release);
    }
    ++used_;
  }
  Place& taken = At(place);
  taken.set.Open(static_cast<int>(place));
  taken.live.store(true, std::memory_order_release);
  lowest_free_ = place + 1;
  return &taken.set;
}

// `live` is cleared first, so that other threads refuse the handle before the set is emptied. A
// thread that has found the set before goes on with valid memory.
void EventSetTable::Destroy(EventSet& set) noexcept {
  const auto place = static_cast<std::size_t>(set.handle());
  At(place).live.store(false, std::memory_order_release);
  set.Close();
  lowest_free_ = std::min(lowest_free_, place);
}

void EventSetTable::Clear() noexcept {
  ForEach([this](EventSet& set) { Destroy(set); });
}

}  // namespace csink::papi
