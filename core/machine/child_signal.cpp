#include <errno.h>
#include <linux/sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <cstdint>

#include "core/machine/child.h"
#include "core/util/raw_syscall.h"

namespace csink {
namespace {

constexpr std::size_t kKernelSignalBytes = 8;

// .bss: pages are touched only when a child is made.
alignas(64) unsigned char g_stack[kChildStackBytes];
alignas(64) unsigned char g_grandchild_stack[kChildStackBytes];

// clone with a stack of its own for the child. libc's clone is a symbol that we
// interpose and others may too; this is the kernel's, from both sides.
long CloneVfork(int (*body)(void*), void* arg, unsigned char* stack_top) noexcept {
  const unsigned long flags = CLONE_VM | CLONE_VFORK;  // no exit signal in the low byte
#if defined(__x86_64__)
  long ret;
  register long r10 __asm__("r10") = 0;
  register long r8 __asm__("r8") = 0;
  // The child finds what to do in registers, its stack holds nothing yet.
  __asm__ volatile(
      "syscall\n\t"
      "test %%rax, %%rax\n\t"
      "jnz 1f\n\t"
      "mov %[arg], %%rdi\n\t"
      "call *%[body]\n\t"
      "mov %%eax, %%edi\n\t"
      "mov $231, %%eax\n\t"  // exit_group
      "syscall\n\t"
      "hlt\n"
      "1:"
      : "=a"(ret)
      : "a"(SYS_clone), "D"(flags), "S"(stack_top), "d"(0l), "r"(r10),
        "r"(r8), [body] "r"(body), [arg] "r"(arg)
      : "rcx", "r11", "memory");
  return ret;
#else
  register long x8 __asm__("x8") = SYS_clone;
  register long x0 __asm__("x0") = static_cast<long>(flags);
  register long x1 __asm__("x1") = reinterpret_cast<long>(stack_top);
  register long x2 __asm__("x2") = 0;
  register long x3 __asm__("x3") = 0;
  register long x4 __asm__("x4") = 0;
  __asm__ volatile(
      "svc #0\n\t"
      "cbnz x0, 1f\n\t"
      "mov x0, %[arg]\n\t"
      "blr %[body]\n\t"
      "mov x8, #94\n\t"  // exit_group
      "svc #0\n"
      "1:"
      : "+r"(x0)
      : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), [body] "r"(body), [arg] "r"(arg)
      : "memory", "cc", "x30");
  return x0;
#endif
}

// Makes a child and waits for its end. Every signal is blocked.
long RunOn(unsigned char* stack, int (*body)(void*), void* arg, int* status) noexcept {
  const long pid = CloneVfork(body, arg, stack + kChildStackBytes);
  long waited = pid;
  while (pid > 0) {
    waited = RawSyscall(SYS_wait4, pid, SyscallArg(status), __WALL, 0);
    if (waited != -EINTR) break;
  }
  return waited;
}

struct KernelAction {  // struct sigaction as the kernel has it
  void (*handler)(int);
  unsigned long flags;
  void (*restorer)();
  unsigned long mask;
};

struct ExecCall {
  int (*body)(void*);
  void* arg;
  int result;  ///< In the memory that both share
};

constexpr int kNoGrandchild = 126;

// The child that stands between: it never execs, so its end makes no signal.
int RunGrandchild(void* arg) {
  auto* call = static_cast<ExecCall*>(arg);
  int status = 0;
  // Where the program ignores SIGCHLD, the kernel would throw the status away.
  const KernelAction usual = {};
  RawSyscall(SYS_rt_sigaction, SIGCHLD, SyscallArg(&usual), 0, kKernelSignalBytes);
  if (RunOn(g_grandchild_stack, call->body, call->arg, &status) <= 0) return kNoGrandchild;
  call->result = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return call->result;
}

}  // namespace

bool RunChild(int (*body)(void*), void* arg, int* status, unsigned char* stack) noexcept {
  std::uint64_t all = ~std::uint64_t{0};
  std::uint64_t before = 0;
  RawSyscall(SYS_rt_sigprocmask, SIG_SETMASK, SyscallArg(&all), SyscallArg(&before),
             kKernelSignalBytes);
  const long waited = RunOn(stack ? stack : g_stack, body, arg, status);
  RawSyscall(SYS_rt_sigprocmask, SIG_SETMASK, SyscallArg(&before), 0, kKernelSignalBytes);
  return waited > 0;
}

bool RunExecChild(int (*body)(void*), void* arg, int* status) noexcept {
  ExecCall call = {body, arg, -1};
  if (RunChild(RunGrandchild, &call, status)) return true;
  // A thread of the program's that waits for any child of any kind (-1, __WALL) was faster.
  const int result = *const_cast<volatile int*>(&call.result);
  if (result < 0) return false;
  *status = result << 8;  // as an exit status stands in it
  return true;
}

}  // namespace csink
