#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>

#include <cstdint>

#include "core/util/raw_syscall.h"

namespace csink {

/// Who waits for a futex word: threads of one process, or processes that share the memory.
/// The kernel finds the waiters of one process faster (FUTEX_*_PRIVATE): it needs only the address,
/// not the page behind it.
enum class FutexScope { kProcess, kShared };

/// Waits until FutexWake is called on the 32-bit word at `word`, but for `ns` nanoseconds at most
/// and not at all if the word is not `seen`. Wakes up without a reason, too: the caller looks at
/// the word again. Returns 0 or a negative errno (futex(2)): -ETIMEDOUT, -EAGAIN, -EINTR. Threads:
/// any. Signals: safe.
inline long FutexWait(const void* word, std::uint32_t seen, std::uint64_t ns,
                      FutexScope scope = FutexScope::kProcess) noexcept {
  const timespec limit = {static_cast<time_t>(ns / 1'000'000'000),
                          static_cast<long>(ns % 1'000'000'000)};
  const int operation = scope == FutexScope::kProcess ? FUTEX_WAIT_PRIVATE : FUTEX_WAIT;
  return RawSyscall(SYS_futex, SyscallArg(word), operation, seen, SyscallArg(&limit));
}

/// Wakes at most `most` waiters. Threads: any. Signals: safe.
inline void FutexWake(const void* word, FutexScope scope = FutexScope::kProcess,
                      int most = 1) noexcept {
  const int operation = scope == FutexScope::kProcess ? FUTEX_WAKE_PRIVATE : FUTEX_WAKE;
  RawSyscall(SYS_futex, SyscallArg(word), operation, most);
}
/// For `most`: more waiters than a process can have.
inline constexpr int kAllWaiters = 1 << 30;

}  // namespace csink
