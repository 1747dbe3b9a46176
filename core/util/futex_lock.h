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
  /// Takes the lock for thread `tid` (the caller). False: the lock is held. Never waits.
  bool TryLock(pid_t tid) noexcept {
    std::uint32_t free = 0;
    if (!word_.compare_exchange_strong(free, 1, std::memory_order_acquire)) return false;
    owner_.store(tid, std::memory_order_relaxed);
    return true;
  }

  /// Waits until the lock is free, for about `limit_ns` at most (0: without limit; the resolution
  /// is 10 ms). False: the lock is still held.
  bool Lock(pid_t tid, std::uint64_t limit_ns = 0) noexcept {
    for (int spin = 0; spin < 100; ++spin) {
      if (TryLock(tid)) return true;
    }
    // Waits in slices, which also measure `limit_ns`. The word is set to 2 so that Unlock knows
    // that it must wake a waiter.
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

  /// Must be called by the holder. Wakes one waiter, by a system call only where there may be one.
  void Unlock() noexcept {
    owner_.store(0, std::memory_order_relaxed);
    if (word_.exchange(0, std::memory_order_release) == 2) FutexWake(&word_);
  }

  /// Whether thread `tid` holds the lock. Exact only for the caller's own `tid`.
  bool HeldBy(pid_t tid) const noexcept { return owner_.load(std::memory_order_relaxed) == tid; }

  /// Frees the lock in a forked child: the thread that held the lock in the parent does not exist
  /// here.
  void ResetAfterFork() noexcept {
    word_.store(0, std::memory_order_relaxed);
    owner_.store(0, std::memory_order_relaxed);
  }

 private:
  std::atomic<std::uint32_t> word_{0};  // 0: free, 1: held, 2: held, and there may be waiters
  std::atomic<pid_t> owner_{0};
};

/// Holds a lock for a scope. Where the calling thread holds the lock already (a handler that
/// interrupted the holder), the lock is not taken, and held() is false: the caller must then leave
/// the protected data alone.
/// Threads: any. Signals: safe.
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

  bool held() const noexcept { return held_; }

 private:
  FutexLock& lock_;
  const bool held_;
};

}  // namespace csink
