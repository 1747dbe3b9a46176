#include <errno.h>
#include <linux/futex.h>
#include <linux/sched.h>
#include <signal.h>
#include <sys/syscall.h>

#include <cstdint>

#include "core/machine/child.h"
#include "core/machine/own_files.h"
#include "core/machine/valgrind.h"
#include "core/util/raw_syscall.h"

namespace csink {
namespace {

// No CLONE_FILES: that is the point. The kernel clears `alive` when the thread does not use
// our memory any more.
constexpr unsigned long kFlags =
    CLONE_VM | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM | CLONE_CHILD_CLEARTID;

long CloneThread(void (*body)(void*), void* arg, unsigned char* stack_top, int* alive) noexcept {
#if defined(__x86_64__)
  long ret;
  register long r10 __asm__("r10") = reinterpret_cast<long>(alive);
  register long r8 __asm__("r8") = 0;
  __asm__ volatile(
      "syscall\n\t"
      "test %%rax, %%rax\n\t"
      "jnz 1f\n\t"
      "xor %%ebp, %%ebp\n\t"
      "mov %[arg], %%rdi\n\t"
      "call *%[body]\n\t"
      "xor %%edi, %%edi\n\t"
      "mov $60, %%eax\n\t"  // exit
      "syscall\n\t"
      "hlt\n"
      "1:"
      : "=a"(ret)
      : "a"(SYS_clone), "D"(kFlags), "S"(stack_top), "d"(0l), "r"(r10),
        "r"(r8), [body] "r"(body), [arg] "r"(arg)
      : "rcx", "r11", "memory");
  return ret;
#else
  register long x8 __asm__("x8") = SYS_clone;
  register long x0 __asm__("x0") = static_cast<long>(kFlags);
  register long x1 __asm__("x1") = reinterpret_cast<long>(stack_top);
  register long x2 __asm__("x2") = 0;
  register long x3 __asm__("x3") = 0;
  register long x4 __asm__("x4") = reinterpret_cast<long>(alive);
  __asm__ volatile(
      "svc #0\n\t"
      "cbnz x0, 1f\n\t"
      "mov x0, %[arg]\n\t"
      "blr %[body]\n\t"
      "mov x0, #0\n\t"
      "mov x8, #93\n\t"  // exit
      "svc #0\n"
      "1:"
      : "+r"(x0)
      : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), [body] "r"(body), [arg] "r"(arg)
      : "memory", "cc", "x30");
  return x0;
#endif
}

// A thread that is about to vanish still counts as one: unshare() would be refused.
void WaitUntilGone(long tid) noexcept {
  constexpr int kPatience = 1000;
  const long pid = RawSyscall(SYS_getpid);
  for (int i = 0; i < kPatience && RawSyscall(SYS_tgkill, pid, tid, 0) != -ESRCH; ++i) {
    RawSyscall(SYS_sched_yield);
  }
}

}  // namespace

bool RunWithOwnFiles(void (*body)(void*), void* arg, unsigned char* stack) noexcept {
  if (RunsOnValgrind()) return false;
  const std::uint64_t all = ~std::uint64_t{0};
  std::uint64_t before = 0;
  RawSyscall(SYS_rt_sigprocmask, SIG_SETMASK, SyscallArg(&all), SyscallArg(&before), 8);
  int alive = 1;
  const long tid = CloneThread(body, arg, stack + kChildStackBytes, &alive);
  if (tid > 0) {
    while (__atomic_load_n(&alive, __ATOMIC_ACQUIRE) != 0) {
      RawSyscall(SYS_futex, SyscallArg(&alive), FUTEX_WAIT, 1, 0);
    }
    WaitUntilGone(tid);
  }
  RawSyscall(SYS_rt_sigprocmask, SIG_SETMASK, SyscallArg(&before), 0, 8);
  return tid > 0;
}

}  // namespace csink
