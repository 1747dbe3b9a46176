#include "core/machine/user_lock.h"

#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>

#include <atomic>
#include <cstdint>

#include "core/util/raw_syscall.h"

namespace csink {
namespace {

// Not FutexLock: that asks the kernel for the caller's thread id, which costs more than the lock.
// pthread_self is a register, and the forking thread keeps it in the child.
struct alignas(64) UserLock {
  std::atomic<std::uint32_t> word{0};  // 0 free, 1 held, 2 held and somebody may wait
  std::atomic<pthread_t> owner{};
};

UserLock g_locks[kUserLocks];

void Wait(std::atomic<std::uint32_t>& word) noexcept {
  for (int spin = 0; spin < 100; ++spin) {  // a short section ends sooner than a system call
    std::uint32_t free = 0;
    if (word.load(std::memory_order_relaxed) == 0 &&
        word.compare_exchange_weak(free, 1, std::memory_order_acquire)) {
      return;
    }
  }
  while (word.exchange(2, std::memory_order_acquire) != 0) {
    RawSyscall(SYS_futex, SyscallArg(&word), FUTEX_WAIT_PRIVATE, 2, 0);
  }
}

}  // namespace

void LockUserLock(std::size_t lock) noexcept {
  UserLock& mine = g_locks[lock];
  std::uint32_t free = 0;
  if (!mine.word.compare_exchange_strong(free, 1, std::memory_order_acquire)) Wait(mine.word);
  mine.owner.store(pthread_self(), std::memory_order_relaxed);
}

void UnlockUserLock(std::size_t lock) noexcept {
  UserLock& mine = g_locks[lock];
  mine.owner.store(pthread_t{}, std::memory_order_relaxed);
  if (mine.word.exchange(0, std::memory_order_release) == 2) {
    RawSyscall(SYS_futex, SyscallArg(&mine.word), FUTEX_WAKE_PRIVATE, 1);
  }
}

void UserLocksForked() noexcept {
  for (UserLock& lock : g_locks) {
    const bool ours = lock.owner.load(std::memory_order_relaxed) == pthread_self();
    lock.word.store(ours ? 1 : 0, std::memory_order_relaxed);
    if (!ours) lock.owner.store(pthread_t{}, std::memory_order_relaxed);
  }
}

}  // namespace csink
