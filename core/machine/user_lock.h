#pragma once

#include <cstddef>

namespace csink {

/// Locks that belong to the program: mutexes that wait in the kernel instead of spinning, so that a
/// holder that lost its CPU does not stop everybody else's.
///
/// A thread that locks twice waits for ever, as with any plain mutex; unlocking a free one does
/// nothing. In a forked child (UserLocksForked) a lock stays held only if the thread that forked
/// held it: other holders do not exist there.
/// Threads: any. Signals: Unlock is safe.
inline constexpr std::size_t kUserLocks = 2;

/// `lock` < kUserLocks.
void LockUserLock(std::size_t lock) noexcept;
void UnlockUserLock(std::size_t lock) noexcept;

/// To be called in the child after fork.
void UserLocksForked() noexcept;

}  // namespace csink
