#include <linux/sched.h>
#include <signal.h>

#include <cstdint>
#include <cstring>

#include "core/machine/raw_thread.h"
#include "core/util/raw_syscall.h"

namespace csink {
namespace {

constexpr long kMaskBytes = 8;
constexpr unsigned long kFlags =
    CLONE_VM | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM | CLONE_SETTLS;

// clone(2), both sides: the child finds what to do in registers, its stack holds nothing yet.
long CloneThread(void (*body)(void*), void* arg, unsigned char* stack_top, void* tls) noexcept {
#if defined(__x86_64__)
  long ret;
  register long r10 __asm__("r10") = 0;
  register void* r8 __asm__("r8") = tls;
  __asm__ volatile(
      "syscall\n\t"
      "test %%rax, %%rax\n\t"
      "jnz 1f\n\t"
      "xor %%ebp, %%ebp\n\t"  // the end of the call chain, for debuggers
      "mov %[arg], %%rdi\n\t"
      "call *%[body]\n\t"
      "xor %%edi, %%edi\n\t"
      "mov $60, %%eax\n\t"  // exit: of this thread
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
  register long x3 __asm__("x3") = reinterpret_cast<long>(tls);
  register long x4 __asm__("x4") = 0;
  __asm__ volatile(
      "svc #0\n\t"
      "cbnz x0, 1f\n\t"
      "mov x29, #0\n\t"
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

}  // namespace

long StartRawThread(void (*body)(void*), void* arg, RawThreadMemory& memory) noexcept {
  // x86-64 finds its variables below the thread pointer and a pointer to itself at it, aarch64
  // finds its variables above. The stack protector's word is beside it; any value will do.
  unsigned char* tls = memory.tls + RawThreadMemory::kTlsBytes / 2;
  const auto self = reinterpret_cast<std::uintptr_t>(tls);
  std::memcpy(tls, &self, sizeof self);
  const std::uint64_t all = ~std::uint64_t{0};
  std::uint64_t before = 0;
  RawSyscall(SYS_rt_sigprocmask, SIG_SETMASK, SyscallArg(&all), SyscallArg(&before), kMaskBytes);
  const long r = CloneThread(body, arg, memory.stack + RawThreadMemory::kStackBytes, tls);
  RawSyscall(SYS_rt_sigprocmask, SIG_SETMASK, SyscallArg(&before), 0, kMaskBytes);
  return r;
}

}  // namespace csink
