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
///   const pid_t self = AskTid();
///   if (lock.HeldBy(self)) return false;  // a handler that interrupted the holder
///   lock.Lock(self);
///   ...
///   lock.Unlock();
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
    return word_.compare_exchange_strong(free, static_cast<std::uint32_t>(tid),
                                         std::memory_order_acquire, std::memory_order_relaxed);
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
    // Waits in slices, which also measure `limit_ns`. FUTEX_WAIT measures each slice anew. A slice
    // needs no clock of ours, and a wake that is missed costs one slice only.
    constexpr std::uint64_t kSliceNs = 10'000'000;
    std::uint64_t waited_ns = 0;
    for (std::uint32_t seen = word_.load(std::memory_order_relaxed);;) {
      if (seen == 0) {
        // Others may sleep still, and the kernel does not say so: the mark is set in any case.
        if (Change(seen, static_cast<std::uint32_t>(tid) | kWaiters)) return true;
        continue;
      }
      if ((seen & kWaiters) == 0) {
        if (!Change(seen, seen | kWaiters)) continue;
        seen |= kWaiters;
      }
      if (FutexWait(&word_, seen, kSliceNs) == -ETIMEDOUT) {
        waited_ns += kSliceNs;
        if (limit_ns != 0 && waited_ns >= limit_ns) return false;
      }
      seen = word_.load(std::memory_order_relaxed);
    }
  }

  /// Must be called by the holder. Wakes one waiter. The system call is made only where the word
  /// says that there may be a waiter: an unlock without contention is one atomic exchange. After a
  /// waiter gave up, one unlock makes the call for nothing.
  void Unlock() noexcept {
    if ((word_.exchange(0, std::memory_order_release) & kWaiters) != 0) FutexWake(&word_);
  }

  /// Whether thread `tid` holds the lock. Exact only for the caller's own `tid`, and then also in a
  /// handler that interrupted TryLock, Lock or Unlock; another thread's answer may be out of date.
  bool HeldBy(pid_t tid) const noexcept {
    return (word_.load(std::memory_order_relaxed) & ~kWaiters) == static_cast<std::uint32_t>(tid);
  }

  /// Frees the lock in a forked child: the thread that held the lock in the parent does not exist
  /// here. Call only while the child has one thread. The protected data may be in any state.
  void ResetAfterFork() noexcept { word_.store(0, std::memory_order_relaxed); }

 private:
  /// The kernel's thread ids are below 2^22 (PID_MAX_LIMIT).
  static constexpr std::uint32_t kWaiters = 1u << 31;

  /// Replaces `seen` by `to`; otherwise `seen` receives the word's value.
  bool Change(std::uint32_t& seen, std::uint32_t to) noexcept {
    return word_.compare_exchange_weak(seen, to, std::memory_order_acquire,
                                       std::memory_order_relaxed);
  }

  /// The futex word: the holder's thread id, 0 if the lock is free, and kWaiters if threads may be
  /// waiting. One word, so that the lock and its holder change at one moment: a handler that comes
  /// between them would wait for the code that it interrupted.
  std::atomic<std::uint32_t> word_{0};
};

/// Holds a lock for a scope. Where the calling thread holds the lock already (a handler that
/// interrupted the holder), the lock is not taken, and held() is false: the caller must then leave
/// the protected data alone. Otherwise the constructor waits without limit.
///   const FutexHolding holding(lock, AskTid());
///   if (!holding.held()) return kConflict;  // a handler that interrupted the holder
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

/// Holds a lock over fork(2), from the first handler of pthread_atfork to the second one: the child
/// must not get the protected data in the middle of a change. A signal handler that interrupted the
/// holder may call fork, also while an outer fork holds the lock; the inner fork then leaves the
/// lock as it is.
/// Owns:    nothing; the lock must outlive this object.
/// Threads: BeforeFork and AfterForkInParent: the thread that calls fork.
class ForkHolding {
 public:
  constexpr explicit ForkHolding(FutexLock& lock) noexcept : lock_(lock) {}

  void BeforeFork(pid_t tid) noexcept {
    if (lock_.HeldBy(tid)) {
      ++inner_forks_;
    } else {
      lock_.Lock(tid);
    }
  }
  void AfterForkInParent() noexcept {
    if (inner_forks_ != 0) {
      --inner_forks_;
    } else {
      lock_.Unlock();
    }
  }
  void AfterForkInChild() noexcept {
    inner_forks_ = 0;
    lock_.ResetAfterFork();
  }

 private:
  FutexLock& lock_;
  unsigned inner_forks_ = 0;  ///< Forks that found the lock held by their thread; under the lock
};

}  // namespace csink
