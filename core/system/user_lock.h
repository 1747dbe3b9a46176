#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "core/util/raw_syscall.h"

namespace csink {

/// A lock that belongs to the program: a mutex that waits in the kernel instead of spinning, so
/// that a holder that lost its CPU does not stop everybody else's.
///
/// Not FutexLock: that asks the kernel for the caller's thread id, which costs more than the lock.
/// The address of a thread's own byte is as good, and the forking thread keeps it in the child.
///
/// Unlocking is a plain store and a look at `waiters`, half of what an exchange costs. The
/// processor may do the look first, and so miss a waiter that comes at this very moment; it would
/// then sleep beside a free lock. That is why sleeping has a limit, and the next a longer one: what
/// was missed costs at most as long again as had been waited already.
struct alignas(64) UserLock {
  std::atomic<std::uint32_t> word{0};  ///< 1: held
  std::atomic<std::uint32_t> waiters{0};
  std::atomic<const char*> owner{nullptr};

  bool Taken() noexcept {
    std::uint32_t free = 0;
    return word.compare_exchange_strong(free, 1, std::memory_order_acquire);
  }
  /// Until the caller has it.
  void Wait() noexcept;
};

/// A thread that locks twice waits for ever, as with any plain mutex; unlocking a free one does
/// nothing. In a forked child (UserLocksForked) a lock stays held only if the thread that forked
/// held it: other holders do not exist there.
/// Threads: any. Signals: Unlock is safe.
inline constexpr std::size_t kUserLocks = 2;
extern constinit std::array<UserLock, kUserLocks> g_user_locks [[gnu::visibility("hidden")]];
extern thread_local constinit char t_user_lock_owner
    [[gnu::tls_model("initial-exec"), gnu::visibility("hidden")]];

/// `lock` < kUserLocks.
inline void LockUserLock(std::size_t lock) noexcept {
  UserLock& mine = g_user_locks[lock];
  if (!mine.Taken()) [[unlikely]]
    mine.Wait();
  mine.owner.store(&t_user_lock_owner, std::memory_order_relaxed);
}

inline void UnlockUserLock(std::size_t lock) noexcept {
  UserLock& mine = g_user_locks[lock];
  mine.owner.store(nullptr, std::memory_order_relaxed);
  mine.word.store(0, std::memory_order_release);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  if (mine.waiters.load(std::memory_order_relaxed) != 0) [[unlikely]] {
    RawSyscall(SYS_futex, SyscallArg(&mine.word), FUTEX_WAKE_PRIVATE, 1);
  }
}

/// To be called in the child after fork.
void UserLocksForked() noexcept;

}  // namespace csink
