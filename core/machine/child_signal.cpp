#include <errno.h>
#include <linux/sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <cstdint>

#include "core/machine/child.h"
#include "core/util/raw_syscall.h"

// RunChild blocks all signals, creates a child by clone(2) with CLONE_VM | CLONE_VFORK on a stack
// of ours, and waits for it. CLONE_VM saves copying the page tables; CLONE_VFORK stops the calling
// thread until the child has ended or has called exec. Signals are blocked because a handler of the
// program that ran in the child would change the memory of the parent. RunExecChild puts an
// intermediate child in between (child.h).

namespace csink {
namespace {

constexpr std::size_t kKernelSignalBytes = 8;

// In .bss: the pages are allocated only when a child is created.
alignas(64) unsigned char g_stack[kChildStackBytes];
// A stack of its own: the intermediate child stands on g_stack while the grandchild runs.
alignas(64) unsigned char g_grandchild_stack[kChildStackBytes];

// clone(2) with a stack of its own for the child, by a raw system call: libc's clone is a symbol
// that we and others interpose.
long CloneVfork(int (*body)(void*), void* arg, unsigned char* stack_top) noexcept {
  const unsigned long flags = CLONE_VM | CLONE_VFORK;  // no exit signal in the low byte
#if defined(__x86_64__)
  long ret;
  register long r10 __asm__("r10") = 0;
  register long r8 __asm__("r8") = 0;
  // The child takes its arguments from registers, since its stack is empty.
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

// Creates a child and waits for its end. All signals must be blocked.
// Returns the child's process id, or -errno of clone(2) or wait4(2) (-ECHILD: another thread has
// reaped the child).
long RunOn(unsigned char* stack, int (*body)(void*), void* arg, int* status) noexcept {
  const long pid = CloneVfork(body, arg, stack + kChildStackBytes);
  long waited = pid;
  while (pid > 0) {
    // CLONE_VFORK has waited already, except where `body` ended by exec. __WALL: without it wait(2)
    // does not see a child that has no exit signal.
    waited = RawSyscall(SYS_wait4, pid, SyscallArg(status), __WALL, 0);
    if (waited != -EINTR) break;
  }
  return waited;
}

struct KernelAction {  // struct sigaction in the kernel's layout (64-bit)
  void (*handler)(int);
  unsigned long flags;
  void (*restorer)();
  unsigned long mask;
};

struct ExecCall {
  int (*body)(void*);
  void* arg;
  int result;  ///< Written by the intermediate child, in the shared memory
};

// The exit status of an intermediate child that could not create the grandchild, as a shell's for a
// command that cannot be run.
constexpr int kNoGrandchild = 126;

// The intermediate child. It never execs, so its own end raises no signal.
int RunGrandchild(void* arg) {
  auto* call = static_cast<ExecCall*>(arg);
  int status = 0;
  // Where the program ignores SIGCHLD, the kernel would discard the status (wait(2)).
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
  // A thread of the program that waits for any child of any kind (-1, __WALL) has reaped our child
  // first. The result is then taken from the shared memory.
  // Volatile: the compiler does not see that another process has written the variable.
  const int result = *const_cast<volatile int*>(&call.result);
  if (result < 0) return false;
  *status = result << 8;  // as wait(2) encodes an exit status
  return true;
}

}  // namespace csink
