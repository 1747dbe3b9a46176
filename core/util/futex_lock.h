#pragma once

#include <errno.h>
#include <sys/types.h>

#include <atomic>
#include <cstdint>

#include "core/util/futex.h"

namespace csink {

/// A mutex that stores the thread id of its holder, for code that may be interrupted by a signal
/// handler of ours on the same thread. Such a handler calls TryLock, or compares HeldBy with its
/// own thread id, and gives up instead of waiting for the code that it interrupted.
///
/// Why not pthread_mutex: the program may interpose it, POSIX does not allow it in a handler, and
/// it does not report its holder.
/// Owns:    nothing in the kernel; a futex(2) word needs no clean-up.
/// Threads: any thread of this process (FUTEX_*_PRIVATE). Not recursive.
/// Signals: TryLock, Unlock and HeldBy are safe; Lock is safe only where HeldBy(own thread id) is
/// false.
class FutexLock {
 public:
  /// Takes the lock for thread `tid`, which must be the caller's. Returns false if the lock is
  /// held, by any thread. Never waits. `tid` is a parameter because the callers know it already:
  /// gettid(2) would be a second system call.
  bool TryLock(pid_t tid) noexcept {
    std::uint32_t free = 0;
    if (!word_.compare_exchange_strong(free, 1, std::memory_order_acquire)) return false;
    owner_.store(tid, std::memory_order_relaxed);
    return true;
  }

  /// Waits until the lock is free, for about `limit_ns` at most. The resolution is 10 ms; 0 means
  /// without limit. Returns false if the lock is still held then. A wait that a signal interrupts
  /// does not count towards the limit.
  bool Lock(pid_t tid, std::uint64_t limit_ns = 0) noexcept {
    // Tries first: where the holder needs the lock for a short time only, this saves the system
    // calls of a sleep and of a wake.
    for (int spin = 0; spin < 100; ++spin) {
      if (TryLock(tid)) return true;
    }
    // Waits in slices, which also measure `limit_ns`. The word is set to 2 so that Unlock knows
    // that it must wake a waiter.
    // FUTEX_WAIT measures each slice anew. A slice needs no clock of ours, and a wake that is
    // missed costs one slice only.
    constexpr std::uint64_t kSliceNs = 10'000'000;
    std::uint64_t waited_ns = 0;
    while (word_.exchange(2, std::memory_order_acquire) != 0) {
      if (FutexWait(&word_, 2, kSliceNs) == -ETIMEDOUT) {
        waited_ns += kSliceNs;
        if (limit_ns != 0 && waited_ns >= limit_ns) return false;
      }
    }
    owner_.store(tid, std::memory_order_relaxed);
    return true;
  }

  /// Must be called by the holder. Wakes one waiter. The system call is made only where the word
  /// says that there may be a waiter: an unlock without contention is one atomic exchange. After a
  /// waiter gave up, one unlock makes the call for nothing.
  void Unlock() noexcept {
    owner_.store(0, std::memory_order_relaxed);
    if (word_.exchange(0, std::memory_order_release) == 2) FutexWake(&word_);
  }

  /// Whether thread `tid` holds the lock. Exact only for the caller's own `tid`: another thread's
  /// answer may be out of date. A handler that interrupts TryLock, Lock or Unlock between the
  /// change of the word and that of the owner sees false although the word is taken; code that must
  /// exclude this blocks signals around the lock (SignalsBlocked).
  bool HeldBy(pid_t tid) const noexcept { return owner_.load(std::memory_order_relaxed) == tid; }

  /// Frees the lock in a forked child: the thread that held the lock in the parent does not exist
  /// here. Call only while the child has one thread. The protected data may be in any state.
  void ResetAfterFork() noexcept {
    word_.store(0, std::memory_order_relaxed);
    owner_.store(0, std::memory_order_relaxed);
  }

 private:
  /// The futex word: the three states of the last mutex in U. Drepper, "Futexes are tricky".
  std::atomic<std::uint32_t> word_{0};  // 0: free, 1: held, 2: held, and there may be waiters
  /// The holder's thread id; 0: no thread holds the lock. A field of its own, since the futex word
  /// has the waiters. Relaxed accesses are enough: a thread compares the field only with its own
  /// id.
  std::atomic<pid_t> owner_{0};
};

/// Holds a lock for a scope. Where the calling thread holds the lock already (a handler that
/// interrupted the holder), the lock is not taken, and held() is false: the caller must then leave
/// the protected data alone. Otherwise the constructor waits without limit.
/// Owns:    the locked state; the lock must outlive this object.
/// Threads: any. Signals: as FutexLock::Lock.
class FutexHolding {
 public:
  FutexHolding(FutexLock& lock, pid_t tid) noexcept : lock_(lock), held_(!lock.HeldBy(tid)) {
    if (held_) lock_.Lock(tid);
  }
  ~FutexHolding() {
    if (held_) lock_.Unlock();
  }
  FutexHolding(const FutexHolding&) = delete;
  FutexHolding& operator=(const FutexHolding&) = delete;

  /// Whether this object took the lock. Must be checked before the protected data is touched.
  bool held() const noexcept { return held_; }

 private:
  FutexLock& lock_;
  const bool held_;
};

}  // namespace csink
