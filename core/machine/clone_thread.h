#pragma once

#include <sys/syscall.h>

/// File: clone(2) of a thread that only the kernel knows, with the code of both sides. The child
/// takes its arguments from registers, since its stack is empty.

namespace csink {

/// Creates a thread that runs `body(arg)` and ends when `body` returns. `flags`, `tls` and
/// `child_tid` as for clone(2) (CLONE_SETTLS, CLONE_CHILD_CLEARTID; where the flag is not set, the
/// argument is ignored). `stack_top`: the end of the stack, aligned to 16 bytes as both psABIs
/// demand at a call; the caller owns the stack and must keep it until the thread has ended.
/// Returns the thread's id, or -errno (EAGAIN: a limit of threads; EINVAL: flags that exclude each
/// other).
/// Signals: safe; the caller must have all signals blocked around the call, so that the thread
/// starts with them blocked: a handler there would run code of the program on a thread that the C
/// library does not know.
inline long CloneThread(unsigned long flags, void (*body)(void*), void* arg,
                        unsigned char* stack_top, void* tls, int* child_tid) noexcept {
  // All operands have fixed registers: the compiler could otherwise choose the frame pointer, which
  // the child clears so that debuggers end the call chain there.
#if defined(__x86_64__)
  long ret;
  register int* r10 __asm__("r10") = child_tid;
  register void* r8 __asm__("r8") = tls;
  register void* r12 __asm__("r12") = arg;
  __asm__ volatile(
      "syscall\n\t"
      "test %%rax, %%rax\n\t"
      // Both sides return here; rax is 0 in the child, which goes on at the new stack.
      "jnz 1f\n\t"
      "xor %%ebp, %%ebp\n\t"
      "mov %%r12, %%rdi\n\t"
      "call *%%rbx\n\t"
      // Exit code 0, then exit(2) and not exit_group(2). hlt: should the call ever return.
      "xor %%edi, %%edi\n\t"
      "mov $60, %%eax\n\t"  // exit: ends this thread only
      "syscall\n\t"
      "hlt\n"
      "1:"
      : "=a"(ret)
      : "a"(SYS_clone), "D"(flags), "S"(stack_top), "d"(0l), "r"(r10), "r"(r8), "b"(body), "r"(r12)
      : "rcx", "r11", "memory");
  return ret;
#else
  register long x8 __asm__("x8") = SYS_clone;
  register long x0 __asm__("x0") = static_cast<long>(flags);
  register long x1 __asm__("x1") = reinterpret_cast<long>(stack_top);
  register long x2 __asm__("x2") = 0;
  register long x3 __asm__("x3") = reinterpret_cast<long>(tls);
  register long x4 __asm__("x4") = reinterpret_cast<long>(child_tid);
  register long x9 __asm__("x9") = reinterpret_cast<long>(body);
  register long x10 __asm__("x10") = reinterpret_cast<long>(arg);
  __asm__ volatile(
      "svc #0\n\t"
      // As above: x0 is 0 in the child.
      "cbnz x0, 1f\n\t"
      "mov x29, #0\n\t"
      "mov x0, x10\n\t"
      "blr x9\n\t"
      "mov x0, #0\n\t"
      "mov x8, #93\n\t"  // exit
      "svc #0\n"
      "1:"
      : "+r"(x0)
      : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x9), "r"(x10)
      : "memory", "cc", "x30");
  return x0;
#endif
}

}  // namespace csink
