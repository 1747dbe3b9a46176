#include "core/sampling/thread_registry.h"

namespace csink {

ThreadSlot* ThreadRegistry::Claim() noexcept {
  // The slot freed last comes first: its page is in the cache, and a program that creates and joins
  // one thread after the other uses a single slot.
  const std::size_t last = hint_.load(std::memory_order_relaxed);
  if (TakeBit(last)) return &Begin(last);
  // Then the lowest one, so that the sweeps, which go up to the highest, look at few.
  for (std::size_t word = 0; word < kWords; ++word) {
    std::uint64_t free = ~taken_[word].load(std::memory_order_relaxed);
    for (; free != 0; free &= free - 1) {
      const std::size_t index = word * 64 + static_cast<std::size_t>(__builtin_ctzll(free));
      if (TakeBit(index)) return &Begin(index);
    }
  }
  return nullptr;
}

bool ThreadRegistry::TakeBit(std::size_t index) noexcept {
  const std::uint64_t bit = std::uint64_t{1} << (index % 64);
  // Acquire: the slot's owner before has cleared its members.
  return (taken_[index / 64].fetch_or(bit, std::memory_order_acquire) & bit) == 0;
}

ThreadSlot& ThreadRegistry::Begin(std::size_t index) noexcept {
  ThreadSlot& slot = slots_[index];
  // The first access is a write: on memory that was never written, a read before it would cost a
  // page fault of its own.
  slot.state.store(SlotState::kStarting, std::memory_order_relaxed);
  // The two members whose initial value is not zero.
  slot.timer = -1;
  slot.spool_thread = 0xffffffff;
  // Only the number of live threads is derived from it (sizes of rings), so no order is needed.
  used_.fetch_add(1, std::memory_order_relaxed);
  std::size_t high = high_water_.load(std::memory_order_relaxed);
  // Release: who sees the new mark sees the slot's state, too.
  while (high < index + 1 &&
         !high_water_.compare_exchange_weak(high, index + 1, std::memory_order_release)) {
  }
  return slot;
}

// Members that Claim sets, or that each arming sets, are not cleared here.
void ThreadRegistry::Release(ThreadSlot& slot) noexcept {
  slot.tid.store(0, std::memory_order_relaxed);
  slot.hooked = false;
  slot.is_main = false;
  slot.timer_blocked = false;
  slot.ring_count = 0;
  slot.end_rounds = 0;
  slot.start_routine = nullptr;
  slot.start_argument = nullptr;
  slot.armed_cpu_ns = slot.before_cpu_ns = 0;
  slot.left_alone = false;
  slot.drained_cpu_ns = 0;
  slot.samples = 0;
  slot.clock_weight = 0;
  slot.lost_records = 0;
  slot.blocked_lost_ns = 0;
  slot.in_pause = false;
  slot.resting = false;
  slot.pause_from_ns = 0;
  slot.paused_ns = 0;
  slot.last_place = {};
  slot.switched_off = false;
  slot.off_from_ns = 0;
  slot.off_ns = 0;
  slot.name[0] = 0;
  slot.times = {};
  slot.created_ns = 0;
  slot.timed = {};
  slot.ForgetAccounts();
  // PutEnded has counted those that have ended.
  if (slot.state.load(std::memory_order_relaxed) != SlotState::kEnded) {
    used_.fetch_sub(1, std::memory_order_relaxed);
  }
  slot.state.store(SlotState::kFree, std::memory_order_release);
  const auto index = static_cast<std::size_t>(&slot - slots_);
  hint_.store(index, std::memory_order_relaxed);
  // Last, with release: the next owner of the slot sees all fields cleared.
  taken_[index / 64].fetch_and(~(std::uint64_t{1} << (index % 64)), std::memory_order_release);
}

// Relaxed: the caller's own thread is found for certain, another one may come or go meanwhile.
ThreadSlot* ThreadRegistry::Find(pid_t tid) noexcept {
  const std::size_t end = high_water();
  for (std::size_t i = 0; i < end; ++i) {
    // The state first: a slot that is being freed may still have its tid.
    if (slots_[i].state.load(std::memory_order_relaxed) == SlotState::kLive &&
        slots_[i].tid.load(std::memory_order_relaxed) == tid) {
      return &slots_[i];
    }
  }
  return nullptr;
}

ThreadSlot* ThreadRegistry::FindWithEnded(pid_t tid) noexcept {
  if (ThreadSlot* const live = Find(tid)) return live;
  const std::size_t end = high_water();
  for (std::size_t i = 0; i < end; ++i) {
    if (slots_[i].has_ended() && slots_[i].tid.load(std::memory_order_relaxed) == tid) {
      return &slots_[i];
    }
  }
  return nullptr;
}

bool ThreadRegistry::PutEnded(ThreadSlot& slot) noexcept {
  SlotState live = SlotState::kLive;
  // Release: who sees the state sees slot.end.
  if (!slot.state.compare_exchange_strong(live, SlotState::kEnded, std::memory_order_acq_rel)) {
    return false;
  }
  used_.fetch_sub(1, std::memory_order_relaxed);
  ended_.fetch_add(1, std::memory_order_relaxed);
  ThreadSlot* last = last_ended_.load(std::memory_order_relaxed);
  do {
    slot.next_ended = last;
  } while (!last_ended_.compare_exchange_weak(last, &slot, std::memory_order_release,
                                              std::memory_order_relaxed));
  return true;
}

ThreadSlot* ThreadRegistry::TakeEnded() noexcept {
  ThreadSlot* last = last_ended_.load(std::memory_order_acquire);
  // Others may only put slots before this one meanwhile: a slot leaves the list here alone, so its
  // successor does not change.
  while (last &&
         !last_ended_.compare_exchange_weak(last, last->next_ended, std::memory_order_acquire)) {
  }
  if (last) ended_.fetch_sub(1, std::memory_order_relaxed);
  return last;
}

void ThreadRegistry::ResetAfterFork() noexcept {
  // First: a thread of the parent may have been on its way into the list.
  last_ended_.store(nullptr, std::memory_order_relaxed);
  ended_.store(0, std::memory_order_relaxed);
  const std::size_t end = high_water();
  for (std::size_t i = 0; i < end; ++i) {
    ThreadSlot& slot = slots_[i];
    if (slot.state.load(std::memory_order_relaxed) == SlotState::kFree) continue;
    // Forgotten, not unmapped: the kernel does not copy rings into a child (VM_DONTCOPY), so their
    // addresses may belong to something else there. The soft ring is ordinary memory, and the
    // child's copy is reused.
    for (RingBuffer& ring : slot.rings) ring.Forget();
    if (SoftRing* ring = slot.soft) ring->Reset();
    Release(slot);
  }
  // A thread of the parent may have been inside Claim or Release.
  for (std::atomic<std::uint64_t>& word : taken_) word.store(0, std::memory_order_relaxed);
  used_.store(0, std::memory_order_relaxed);
  hint_.store(0, std::memory_order_relaxed);
}

}  // namespace csink
