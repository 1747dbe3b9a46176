#pragma once

#include <cstddef>

#include "core/perf/ring_buffer.h"
#include "core/sampling/thread_registry.h"

namespace csink {

/// Rings that belong to no slot any more, to be unmapped without a lock: each unmapping closes an
/// event and waits for the lock of the process's mappings.
///   LeftRings left;
///   lock.Lock(tid);
///   collector.EndSome(left);
///   lock.Unlock();
///   left.Unmap(kernel);
/// Owns:    the rings, until Unmap; without a destructor, as RingBuffer.
/// Threads: one at a time. Signals: safe.
class LeftRings {
 public:
  /// Slots that it has room for. A fixed small number: who takes their rings holds a lock.
  static constexpr std::size_t kSlots = 4;

  bool full() const noexcept { return slots_ == kSlots; }
  /// Takes the rings of a slot. Requires !full().
  void Take(ThreadSlot& slot) noexcept {
    for (std::size_t i = 0; i < slot.ring_count; ++i) {
      if (!slot.rings[i].mapped()) continue;
      rings_[count_++] = slot.rings[i];
      slot.rings[i].Forget();
    }
    slot.ring_count = 0;
    ++slots_;
  }
  /// Unmaps all rings; then the object is empty.
  void Unmap(Kernel& kernel) noexcept {
    for (std::size_t i = 0; i < count_; ++i) rings_[i].Unmap(kernel);
    slots_ = count_ = 0;
  }

 private:
  RingBuffer rings_[kSlots * kMaxEventSpecs];
  std::size_t slots_ = 0;
  std::size_t count_ = 0;
};

}  // namespace csink
