#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <time.h>

#include <atomic>
#include <cstdint>

#include "core/util/raw_syscall.h"

namespace csink {

/// A mutex that knows its owner, for code that may be interrupted by its own
/// signal handler: a handler asks TryLock, or finds out that its own thread is
/// the holder and goes away.
///
/// Why not pthread_mutex: it may be interposed, is not ours to use in a handler,
/// and says nothing about its owner.
/// Threads: any. Signals: TryLock, Unlock and HeldBy are safe anywhere; Lock is
/// safe where HeldBy(own tid) is false.
class FutexLock {
 public:
  bool TryLock(pid_t tid) noexcept {
    std::uint32_t free = 0;
    if (!word_.compare_exchange_strong(free, 1, std::memory_order_acquire)) return false;
    owner_.store(tid, std::memory_order_relaxed);
    return true;
  }

  /// Waits until the lock is free, at most `limit_ns` (0: for ever). False: still held.
  bool Lock(pid_t tid, std::uint64_t limit_ns = 0) noexcept {
    for (int spin = 0; spin < 100; ++spin) {
      if (TryLock(tid)) return true;
    }
    constexpr std::uint64_t kSliceNs = 10'000'000;
    std::uint64_t waited_ns = 0;
    while (word_.exchange(2, std::memory_order_acquire) != 0) {
      const timespec slice = {0, static_cast<long>(kSliceNs)};
      const long r =
          RawSyscall(SYS_futex, SyscallArg(&word_), FUTEX_WAIT_PRIVATE, 2, SyscallArg(&slice));
      if (r == -110 /* ETIMEDOUT */) {
        waited_ns += kSliceNs;
        if (limit_ns != 0 && waited_ns >= limit_ns) return false;
      }
    }
    owner_.store(tid, std::memory_order_relaxed);
    return true;
  }

  void Unlock() noexcept {
    owner_.store(0, std::memory_order_relaxed);
    if (word_.exchange(0, std::memory_order_release) == 2) {
      RawSyscall(SYS_futex, SyscallArg(&word_), FUTEX_WAKE_PRIVATE, 1);
    }
  }

  bool HeldBy(pid_t tid) const noexcept { return owner_.load(std::memory_order_relaxed) == tid; }

  /// In a forked child: whoever held it does not exist here.
  void ResetAfterFork() noexcept {
    word_.store(0, std::memory_order_relaxed);
    owner_.store(0, std::memory_order_relaxed);
  }

 private:
  std::atomic<std::uint32_t> word_{0};
  std::atomic<pid_t> owner_{0};
};

/// Holds a lock for a scope. A handler that interrupted a holder on its own thread does not get it.
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
