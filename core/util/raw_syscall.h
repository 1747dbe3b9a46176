#pragma once

/// File: system calls without libc.
///
/// Code that runs inside the profiled program does not call libc's wrappers: they set errno, some
/// are cancellation points, and `syscall` itself is a symbol that the program (or our own
/// interposition) may replace. These functions return the kernel's answer unchanged: a value >= 0,
/// or -errno.
///
/// Threads: any. Signals: safe. errno is never touched.

#include <sys/syscall.h>

namespace csink {

#if defined(__x86_64__)
/// System call number `n` with up to six arguments. Clobbers what the kernel clobbers (rcx, r11),
/// and memory.
inline long RawSyscall(long n, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0,
                       long f = 0) noexcept {
  long ret;
  // The kernel's fourth argument is in r10 where a function's is in rcx: `syscall` overwrites rcx.
  register long r10 __asm__("r10") = d;
  register long r8 __asm__("r8") = e;
  register long r9 __asm__("r9") = f;
  __asm__ volatile("syscall"
                   : "=a"(ret)
                   : "a"(n), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
  return ret;
}

/// A system call with three arguments: saves three instructions in the few hot calls where they
/// matter.
inline long RawSyscall3(long n, long a, long b, long c) noexcept {
  long ret;
  __asm__ volatile("syscall" : "=a"(ret) : "a"(n), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
  return ret;
}
#elif defined(__aarch64__)
/// The same for aarch64: the number in x8, the arguments in x0 to x5, the answer in x0.
inline long RawSyscall(long n, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0,
                       long f = 0) noexcept {
  register long x8 __asm__("x8") = n;
  register long x0 __asm__("x0") = a;
  register long x1 __asm__("x1") = b;
  register long x2 __asm__("x2") = c;
  register long x3 __asm__("x3") = d;
  register long x4 __asm__("x4") = e;
  register long x5 __asm__("x5") = f;
  __asm__ volatile("svc #0"
                   : "+r"(x0)
                   : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
                   : "memory", "cc");
  return x0;
}

/// As on x86-64: three arguments.
inline long RawSyscall3(long n, long a, long b, long c) noexcept {
  register long x8 __asm__("x8") = n;
  register long x0 __asm__("x0") = a;
  register long x1 __asm__("x1") = b;
  register long x2 __asm__("x2") = c;
  __asm__ volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2) : "memory", "cc");
  return x0;
}
#else
#error "Countersink runs on x86-64 and aarch64"
#endif

/// Converts a pointer to the type of an argument. On both processors a long has the size of a
/// pointer.
inline long SyscallArg(const void* p) noexcept { return reinterpret_cast<long>(p); }

}  // namespace csink
