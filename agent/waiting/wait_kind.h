#pragma once

#include <sys/types.h>

#include <cstdint>

#include "core/machine/syscall_line.h"
#include "profil/format/format.h"

/// File: what a blocked thread waits for, as far as its system call and the memory of a futex say
/// so without symbols. Condition variables, semaphores and barriers look like any futex here; the
/// report recognises them by the functions of the call chain.
/// Threads: any. Signals: safe (wait_kind_signal.cpp); no system calls.

namespace csink::agent {

/// What the number and the arguments of a system call say.
struct CallFacts {
  spool::WaitKind kind = spool::WaitKind::kUnknown;
  /// A futex wait: JudgeFutex says more. `kind` is kFutex.
  bool is_futex = false;
  /// The descriptor that the call waits for; -1: none, or several
  int descriptor = -1;
  /// The call polls one descriptor, whose number is the first word at this address; 0: it does not
  std::uint64_t poll_list = 0;
};

/// For a line of a blocked thread. A number that this processor's table does not have is
/// kOtherCall.
CallFacts FactsOfCall(const SyscallLine& line) noexcept;

/// A futex wait, as its arguments give it.
struct FutexWaitCall {
  std::uint64_t address = 0;   ///< Of the futex word
  std::uint32_t expected = 0;  ///< The value with which the thread went to sleep
  bool takes_lock = false;     ///< FUTEX_LOCK_PI: the kernel takes the lock for the thread
  bool has_bitset = false;     ///< FUTEX_WAIT_BITSET, or futex_wait
  int operation = 0;           ///< FUTEX_WAIT_BITSET..., without the flags
};
/// Decodes the arguments of futex(2) and futex_wait(2). futex_waitv(2), which waits for several
/// words, gives address 0.
FutexWaitCall FutexWaitOf(const SyscallLine& line) noexcept;

/// Memory from a futex word on, in words of 32 bits: at[0] is the futex word itself.
struct FutexMemory {
  std::uint32_t at[8] = {};  ///< At 0, 4, ... 28 bytes
};

/// What a futex word belongs to.
struct FutexObject {
  spool::WaitKind kind = spool::WaitKind::kFutex;
  std::uint64_t address = 0;  ///< Of the object; of the word where the object is not known
  /// The thread that holds the lock, or for which a join waits; 0: none, or not known
  pid_t holder = 0;
};

/// Recognises glibc's mutexes, rwlocks and joins by the layout of their memory and by a TID of this
/// process in the place of the owner. `is_ours` answers whether a thread of this process has the
/// TID. Source of the layouts: glibc 2.25 and later, sysdeps/nptl/bits/struct_mutex.h,
/// struct_rwlock.h, nptl/pthread_rwlock_common.c, nptl/pthread_join_common.c.
FutexObject JudgeFutex(const FutexWaitCall& call, const FutexMemory& memory,
                       bool (*is_ours)(pid_t tid, void* arg), void* arg) noexcept;

}  // namespace csink::agent
