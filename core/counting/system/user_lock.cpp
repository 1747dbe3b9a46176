#include "core/counting/system/user_lock.h"

#include <algorithm>

namespace csink {
namespace {

// The pauses of a thread that waits: short at first, because a lock is usually held for moments,
// and at most 0.1 s.
constexpr std::uint64_t kFirstSleepNs = 100'000;
constexpr std::uint64_t kLongestSleepNs = 100'000'000;

}  // namespace

constinit std::array<UserLock, kUserLocks> g_user_locks;
thread_local constinit char t_user_lock_owner = 0;

void UserLock::Wait() noexcept {
  for (int spin = 0; spin < 100; ++spin) {  // a short section ends sooner than a system call does
    if (word.load(std::memory_order_relaxed) == 0 && Taken()) return;
  }
  // Before the next try: an Unlock after this sees the waiter.
  waiters.fetch_add(1, std::memory_order_seq_cst);
  // The kernel sleeps only while the word is still 1, so a lock that was freed in between is tried
  // at once.
  for (std::uint64_t sleep_ns = kFirstSleepNs; !Taken();) {
    FutexWait(&word, 1, sleep_ns);
    sleep_ns = std::min(2 * sleep_ns, kLongestSleepNs);
  }
  waiters.fetch_sub(1, std::memory_order_relaxed);
}

void UserLocksForked() noexcept {
  for (UserLock& lock : g_user_locks) {
    // The thread-local byte of the forking thread has the same address in the child.
    const bool ours = lock.owner.load(std::memory_order_relaxed) == &t_user_lock_owner;
    lock.word.store(ours ? 1 : 0, std::memory_order_relaxed);
    lock.waiters.store(0, std::memory_order_relaxed);
    if (!ours) lock.owner.store(nullptr, std::memory_order_relaxed);
  }
}

}  // namespace csink
