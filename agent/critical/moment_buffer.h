#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "profil/format/format.h"

namespace csink::agent {

/// The moments of one thread on their way to the spool: a ring that the thread's hooks fill, also
/// in signal handlers that interrupt them, and that a drain empties. Also the wait that the thread
/// is in: it must not be lost where the thread leaves it by cancellation or by a jump.
///
///   const std::uint64_t start_ns = buffer.Begin({kMutexWait, address, 0}, now_ns);
///   (the call that waits)
///   buffer.End({kMutexWait, address, 0}, start_ns, now_ns, kLeastWaitNs);
///
/// A place is reserved first and filled then, so that a handler which interrupts the filling takes
/// the next place. The drain stops at a place that is not filled yet. A handler that leaves by a
/// jump may leave such a place for ever: when the ring is full behind it, the place is given up.
///
/// Owns:    nothing. An object of zeros is an empty buffer (memory of mmap).
/// Threads: Begin, End, Put: the thread whose buffer it is, with its handlers. Take, TakeOpen: one
///          at a time, any thread.
/// Signals: safe, lock-free.
class MomentBuffer {
 public:
  /// With 160 KiB for 20 ms between two drains: 200,000 moments a second.
  static constexpr std::uint64_t kMoments = 4096;
  /// A thread that sleeps in the kernel needs longer than this; shorter waits were none.
  static constexpr std::uint64_t kLeastWaitNs = 1000;

  /// What a wait is of.
  struct Wait {
    spool::MomentKind kind;
    std::uint64_t object;
    std::uint64_t value;
  };

  /// The thread is about to wait. A wait that has not ended yet is recorded as cut: the thread left
  /// it, or is in a handler that interrupted it. Returns `now_ns`.
  std::uint64_t Begin(const Wait& wait, std::uint64_t now_ns) noexcept {
    Cut(now_ns);
    // The start comes last, and is what TakeOpen reads first.
    Store(open_.kind, wait.kind);
    Store(open_.object, wait.object);
    Store(open_.value, wait.value);
    __atomic_store_n(&open_.start_ns, now_ns, __ATOMIC_RELEASE);
    return now_ns;
  }
  /// The wait that began at `start_ns` has ended; what it is of may be known better now. Records it
  /// if it has taken `least_ns`.
  void End(const Wait& wait, std::uint64_t start_ns, std::uint64_t now_ns,
           std::uint64_t least_ns) noexcept {
    std::uint16_t flags = 0;
    if (open_.start_ns == start_ns) {
      __atomic_store_n(&open_.start_ns, std::uint64_t{0}, __ATOMIC_RELEASE);
    } else {
      // A handler has waited meanwhile; what is left is the time since then.
      if (cut_ns_ > start_ns) start_ns = cut_ns_;
      flags = spool::kMomentCut;
    }
    if (now_ns < start_ns + least_ns) return;
    if (now_ns <= start_ns) now_ns = start_ns + 1;
    Put({start_ns, now_ns, wait.object, wait.value, tid, wait.kind, flags});
  }
  /// Ends a wait that the thread has left without End: before another one, and at its end.
  void Cut(std::uint64_t now_ns) noexcept {
    const std::uint64_t start_ns = open_.start_ns;
    if (start_ns == 0) return;
    __atomic_store_n(&open_.start_ns, std::uint64_t{0}, __ATOMIC_RELEASE);
    cut_ns_ = now_ns;
    if (now_ns > start_ns) {
      Put({start_ns, now_ns, open_.object, open_.value, tid, open_.kind, spool::kMomentCut});
    }
  }
  void PutPoint(spool::MomentKind kind, std::uint64_t object, std::uint64_t value,
                std::uint64_t now_ns) noexcept {
    Put({now_ns, now_ns, object, value, tid, kind, 0});
  }
  /// Adds a record whose kind is not 0. If there is no room it is counted.
  void Put(const spool::MomentRecord& record) noexcept {
    std::uint64_t at = reserved_.load(std::memory_order_relaxed);
    do {
      // Acquire pairs with the release in Take: the reader has finished with the place.
      if (at - taken_.load(std::memory_order_acquire) >= kMoments) {
        dropped_.fetch_add(1, std::memory_order_relaxed);
        return;
      }
    } while (!reserved_.compare_exchange_weak(at, at + 1, std::memory_order_relaxed));
    spool::MomentRecord& place = places_[at % kMoments];
    place.start_ns = record.start_ns;
    place.end_ns = record.end_ns;
    place.object = record.object;
    place.value = record.value;
    place.thread = record.thread;
    place.flags = record.flags;
    // The kind comes last: it says that the place is filled.
    __atomic_store_n(KindOf(place), static_cast<std::uint16_t>(record.kind), __ATOMIC_RELEASE);
  }

  /// Calls `visit(const MomentRecord*, count)` for all records that are complete, in pieces and in
  /// order, then frees their places. Returns the number of records that were dropped since the last
  /// call.
  template <class Visit>
  std::uint64_t Take(Visit&& visit) noexcept {
    std::uint64_t lost = dropped_.exchange(0, std::memory_order_relaxed);
    std::uint64_t at = taken_.load(std::memory_order_relaxed);
    const std::uint64_t end = reserved_.load(std::memory_order_acquire);
    while (at != end) {
      const std::uint64_t first = at % kMoments;
      std::uint64_t count = 0;
      while (at + count != end && first + count < kMoments &&
             __atomic_load_n(KindOf(places_[first + count]), __ATOMIC_ACQUIRE) != 0) {
        ++count;
      }
      if (count == 0) {
        if (end - at < kMoments) break;
        ++lost;
        ++at;
        taken_.store(at, std::memory_order_release);
        continue;
      }
      visit(&places_[first], count);
      for (std::uint64_t i = first; i != first + count; ++i) {
        __atomic_store_n(KindOf(places_[i]), std::uint16_t{0}, __ATOMIC_RELAXED);
      }
      at += count;
      taken_.store(at, std::memory_order_release);
    }
    return lost;
  }
  /// The wait that the thread is in. Returns false if there is none, or it changes just now.
  bool TakeOpen(std::uint64_t now_ns, spool::MomentRecord& record) const noexcept {
    const std::uint64_t start_ns = __atomic_load_n(&open_.start_ns, __ATOMIC_ACQUIRE);
    if (start_ns == 0 || now_ns <= start_ns) return false;
    record = {start_ns,
              now_ns,
              __atomic_load_n(&open_.object, __ATOMIC_ACQUIRE),
              __atomic_load_n(&open_.value, __ATOMIC_ACQUIRE),
              tid,
              Load(open_.kind),
              spool::kMomentOpen};
    return __atomic_load_n(&open_.start_ns, __ATOMIC_RELAXED) == start_ns;
  }
  bool empty() const noexcept {
    return taken_.load(std::memory_order_relaxed) == reserved_.load(std::memory_order_acquire);
  }

  // Set by who makes the buffer.
  std::uint32_t tid;         ///< Of the thread
  pid_t pid;                 ///< Of its process: a vfork child runs with the thread's buffer
  std::uint64_t fork_ns;     ///< When the thread called fork last
  MomentBuffer* next;        ///< The list of all buffers (Moments)
  std::uint32_t end_rounds;  ///< Calls of the thread-specific destructor so far
  std::atomic<bool> ended;   ///< The thread does not use it any more

 private:
  struct Open {
    std::uint64_t start_ns;  ///< 0: the thread does not wait
    std::uint64_t object;
    std::uint64_t value;
    spool::MomentKind kind;
  };

  template <class T>
  static void Store(T& to, T value) noexcept {
    __atomic_store(&to, &value, __ATOMIC_RELAXED);
  }
  template <class T>
  static T Load(const T& from) noexcept {
    T value;
    __atomic_load(&from, &value, __ATOMIC_ACQUIRE);
    return value;
  }
  static std::uint16_t* KindOf(spool::MomentRecord& place) noexcept {
    return reinterpret_cast<std::uint16_t*>(&place.kind);
  }

  Open open_;
  std::uint64_t cut_ns_;
  std::atomic<std::uint64_t> dropped_;
  /// Places reserved and places taken; both only grow.
  std::atomic<std::uint64_t> reserved_;
  std::atomic<std::uint64_t> taken_;
  spool::MomentRecord places_[kMoments];
};

}  // namespace csink::agent
