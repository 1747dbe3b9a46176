#pragma once

#include "core/util/raw_syscall.h"

namespace csink {

/// Blocks all signals of the calling thread for a scope, while the scope holds a lock of ours.
/// Otherwise a handler of the program could run there and call fork or longjmp, which would leave
/// the lock held for ever. Signals 32 and 33 stay unblocked: glibc uses them for cancellation and
/// for setuid, and a setuid of the program waits until every thread has handled 33. A thread that
/// is created in the scope inherits the mask. Costs two system calls.
/// Signals that arrive in the scope are pending until its end, not lost. SIGKILL and SIGSTOP cannot
/// be blocked.
///   const SignalsBlocked signals;
///   const FutexHolding holding(lock, AskTid());
/// Threads: any; the object must not leave its thread. Signals: safe; may be nested.
class SignalsBlocked {
 public:
  /// Blocks; the destructor restores the mask of before.
  SignalsBlocked() noexcept : before_(Block()) {}
  ~SignalsBlocked() { Restore(before_); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

  /// Blocks as the constructor does. Returns the thread's mask before, in the kernel's layout (bit
  /// n - 1 is signal n), for Restore.
  static unsigned long Block() noexcept {
    const unsigned long all = ~(3ul << 31);  // bit n - 1 is signal n: all but 32 and 33
    unsigned long before = 0;
    RawSyscall(SYS_rt_sigprocmask, 0 /* SIG_BLOCK */, SyscallArg(&all), SyscallArg(&before), 8);
    return before;
  }
  /// Sets the thread's mask to what Block returned.
  static void Restore(unsigned long mask) noexcept {
    RawSyscall(SYS_rt_sigprocmask, 2 /* SIG_SETMASK */, SyscallArg(&mask), 0, 8);
  }

 private:
  /// The mask that the destructor restores.
  unsigned long before_;
};

}  // namespace csink
