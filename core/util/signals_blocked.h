#pragma once

#include "core/util/raw_syscall.h"

namespace csink {

/// Blocks all signals of the calling thread for a scope, while the scope holds a lock of ours.
/// Otherwise a handler of the program could run there and call fork or longjmp, which would leave
/// the lock held for ever. Signals 32 and 33 stay unblocked: glibc uses them for cancellation and
/// for setuid, and a setuid of the program waits until every thread has handled 33. Costs two
/// system calls.
class SignalsBlocked {
 public:
  SignalsBlocked() noexcept : before_(Block()) {}
  ~SignalsBlocked() { Restore(before_); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

  /// The two halves, for code where a scope does not fit. Block returns the mask to restore.
  static unsigned long Block() noexcept {
    const unsigned long all = ~(3ul << 31);  // bit n - 1 is signal n: all but 32 and 33
    unsigned long before = 0;
    RawSyscall(SYS_rt_sigprocmask, 0 /* SIG_BLOCK */, SyscallArg(&all), SyscallArg(&before), 8);
    return before;
  }
  static void Restore(unsigned long mask) noexcept {
    RawSyscall(SYS_rt_sigprocmask, 2 /* SIG_SETMASK */, SyscallArg(&mask), 0, 8);
  }

 private:
  unsigned long before_;
};

}  // namespace csink
