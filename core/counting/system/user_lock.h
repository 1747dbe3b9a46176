#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "core/util/futex.h"

namespace csink {

/// A lock that belongs to the program (PAPI_lock): a mutex that waits in the kernel instead of
/// spinning, so that a holder without a CPU does not keep other threads busy.
///
/// Why not FutexLock: it asks the kernel for the caller's thread id, which costs more than the lock
/// itself. The address of a thread-local byte identifies the thread as well, and the thread that
/// forks keeps it in the child.
///
/// Unlock is a plain store and then a load of `waiters`, which costs half of an exchange. The
/// processor may perform the load first, and so miss a waiter that arrives at this moment; the
/// waiter would then sleep although the lock is free. Therefore each sleep has a limit, twice that
/// of the one before: a missed wake-up at most doubles the waiting time.
struct alignas(64) UserLock {
  std::atomic<std::uint32_t> word{0};  ///< 1: held
  /// Threads that sleep or are about to. Not exact for Unlock: see above.
  std::atomic<std::uint32_t> waiters{0};
  /// The address of the holder's t_user_lock_owner; only UserLocksForked uses it.
  std::atomic<const char*> owner{nullptr};

  /// Tries to take the lock once.
  bool Taken() noexcept {
    std::uint32_t free = 0;
    return word.compare_exchange_strong(free, 1, std::memory_order_acquire);
  }
  /// Waits until the caller has the lock.
  void Wait() noexcept;
};

/// The locks of the program. A thread that locks twice waits for ever, as with any plain mutex;
/// unlocking a free lock has no effect. In a forked child a lock stays held only if the forking
/// thread held it: other holders do not exist there.
/// Threads: any. Signals: UnlockUserLock is safe.
inline constexpr std::size_t kUserLocks = 2;
extern constinit std::array<UserLock, kUserLocks> g_user_locks [[gnu::visibility("hidden")]];
extern thread_local constinit char t_user_lock_owner
    [[gnu::tls_model("initial-exec"), gnu::visibility("hidden")]];

/// Takes lock number `lock` (< kUserLocks), waiting if necessary.
inline void LockUserLock(std::size_t lock) noexcept {
  UserLock& mine = g_user_locks[lock];
  if (!mine.Taken()) [[unlikely]]
    mine.Wait();
  mine.owner.store(&t_user_lock_owner, std::memory_order_relaxed);
}

/// Frees lock number `lock` (< kUserLocks), whichever thread holds it.
inline void UnlockUserLock(std::size_t lock) noexcept {
  UserLock& mine = g_user_locks[lock];
  mine.owner.store(nullptr, std::memory_order_relaxed);
  mine.word.store(0, std::memory_order_release);
  // For the compiler alone: the load of `waiters` must not stand before the store of `word`.
  std::atomic_signal_fence(std::memory_order_seq_cst);
  // A wake for nothing is harmless: `waiters` may count a thread that has just got the lock.
  if (mine.waiters.load(std::memory_order_relaxed) != 0) [[unlikely]] {
    FutexWake(&mine.word);
  }
}

/// Must be called in the child after fork, by the only thread there. Locks of the forking thread
/// stay held, the others become free.
void UserLocksForked() noexcept;

}  // namespace csink
