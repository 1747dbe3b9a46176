#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "core/events/event_spec.h"
#include "core/perf/ring_buffer.h"
#include "core/sampling/event_account.h"
#include "core/sampling/first_period.h"
#include "core/sampling/soft_ring.h"

namespace csink {

enum class SlotState : std::uint32_t {
  kFree = 0,
  kStarting = 1,  ///< Taken by pthread_create; the thread has not run yet.
  kLive = 2,      ///< The thread runs; its rings may fill.
  kEnded = 3,     ///< The thread is gone, its rings wait to be drained.
};

/// Everything we know of one thread of the program. All zero while free, so that
/// the table is untouched .bss; Claim fills in what is not zero.
/// Threads: `state` and `tid` may be read by anyone; the rings and counters only
/// under the collector's lock; the start fields by creator and thread.
struct ThreadSlot {
  std::atomic<SlotState> state{SlotState::kFree};
  std::atomic<pid_t> tid{0};
  bool hooked = false;  ///< Came through our trampoline: its end will be told.
  bool is_main = false;
  bool maps_told = false;       ///< Its first ring holds mapping records, too.
  bool timer_blocked = false;   ///< Timer source, and the thread's mask kept the signal out.
  std::uint8_t ring_count = 0;  ///< Rings mapped, one per event; 0: soft ring or nothing.
  // Both: written as `resting` is, read by the tick's handler on the slot's thread.
  std::atomic<int> timer{0};  ///< POSIX timer of the timer source, -1: none.
  RingBuffer rings[kMaxEventSpecs];
  FirstPeriod first[kMaxEventSpecs];  ///< Of the rings; set by Arm
  std::atomic<SoftRing*> soft{
      nullptr};  ///< Timer source only; stays with the slot for its next thread.
  void (*start_routine)() = nullptr;  ///< Of either kind of thread; cast back by its trampoline
  void* start_argument = nullptr;
  std::uint64_t armed_cpu_ns = 0;    ///< The thread's CPU clock when its event was opened.
  std::uint64_t drained_cpu_ns = 0;  ///< ... at the last drain.
  std::uint64_t samples = 0;         ///< All events.
  std::uint64_t clock_weight = 0;    ///< Sampled CPU time in ns, clock events only.
  std::uint64_t lost_records = 0;
  std::uint64_t blocked_lost_ns = 0;
  std::uint32_t spool_thread = 0;  ///< Record in the spool; spool::kNone: none yet.
  bool believed_blocked = false;   ///< The creator believes our drain signal to be blocked.
  std::uint32_t end_rounds = 0;    ///< Times the thread-specific destructor was called.
  // Written under the collector's lock or before the slot is kLive; its own thread looks without.
  std::atomic<bool> in_pause{false};  ///< Its CPU time counts as paused, from pause_from_ns on.
  std::atomic<bool> resting{false};   ///< A pause has taken its events away.
  std::uint64_t pause_from_ns = 0;    ///< The thread's CPU clock when the pause began for it.
  std::uint64_t paused_ns = 0;        ///< CPU time in earlier pauses.
  bool switched_off = false;          ///< The thread has switched its events off, at off_from_ns.
  std::uint64_t off_from_ns = 0;
  std::uint64_t off_ns = 0;  ///< CPU time of earlier times that it had.
  char name[16] = {};
  /// Of events that need a counter; the first `account_count` may differ from zero. Last in the
  /// slot: where none is sampled this memory is never touched.
  std::uint8_t account_count = 0;
  EventAccount accounts[kMaxEventSpecs];

  bool armed() const noexcept { return ring_count > 0 || timer >= 0; }
  /// Another thread, or other events, from here on.
  void ForgetAccounts() noexcept {
    for (std::size_t i = 0; i < account_count; ++i) accounts[i] = {};
    account_count = 0;
  }
};

/// The threads of the program: a fixed table in static storage, so that neither
/// a new thread nor a signal handler ever needs memory.
/// Threads: Claim and Release are lock-free. Signals: safe.
class ThreadRegistry {
 public:
  static constexpr std::size_t kSlots = 4096;

  /// A slot in state kStarting, or nullptr when the table is full.
  ThreadSlot* Claim() noexcept;
  /// Gives a slot back. Its rings must be unmapped.
  void Release(ThreadSlot& slot) noexcept;
  /// A slot of a live thread with this tid, or nullptr.
  ThreadSlot* Find(pid_t tid) noexcept;

  /// The slot at this address, or nullptr when it is no slot of ours.
  ThreadSlot* FromAddress(std::uintptr_t address) noexcept {
    const std::uintptr_t offset = address - reinterpret_cast<std::uintptr_t>(slots_);
    if (offset >= sizeof slots_ || offset % sizeof(ThreadSlot) != 0) return nullptr;
    return &slots_[offset / sizeof(ThreadSlot)];
  }

  /// Slots that were ever used: [0, high_water) is what a sweep must look at.
  std::size_t high_water() const noexcept { return high_water_.load(std::memory_order_acquire); }
  ThreadSlot& at(std::size_t index) noexcept { return slots_[index]; }
  /// Slots not free.
  std::size_t used() const noexcept { return used_.load(std::memory_order_relaxed); }

  /// In a forked child: every slot is freed, ring mappings are forgotten (the
  /// kernel did not copy them).
  void ResetAfterFork() noexcept;

 private:
  ThreadSlot slots_[kSlots];
  std::atomic<std::size_t> hint_{0};
  std::atomic<std::size_t> high_water_{0};
  std::atomic<std::size_t> used_{0};
};

}  // namespace csink
