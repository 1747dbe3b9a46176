#pragma once

#include "core/util/raw_syscall.h"

namespace csink {

/// Keeps every signal away while we hold a lock outside our own handlers: a
/// program's handler may fork or jump away and would leave it held.
/// 32 and 33 are the C library's own and stay open, or the next setuid of the
/// program would wait for us for ever. Two system calls.
/// Signals: safe.
class SignalsBlocked {
 public:
  SignalsBlocked() noexcept : before_(Block()) {}
  ~SignalsBlocked() { Restore(before_); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

  /// The halves, where a scope does not fit. Block returns the mask before.
  static unsigned long Block() noexcept {
    const unsigned long all = ~(3ul << 31);
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
