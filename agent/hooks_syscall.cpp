#include <linux/seccomp.h>
#include <sys/syscall.h>

#include "agent/agent.h"
#include "agent/real.h"

/// File: syscall(2), interposed for the one call after which we must be silent:
/// seccomp. It is an assembly jump, not a C function: programs hand SYS_vfork and
/// SYS_clone with a stack of the child's through it, and a C frame between them
/// and the kernel would be returned from twice.

extern "C" {

using SyscallFunction = long (*)(long, ...);

__attribute__((visibility("hidden"))) SyscallFunction csink_real_syscall = nullptr;

// Everything that is not a plain jump: the first call of all, and seccomp.
__attribute__((visibility("hidden"))) SyscallFunction csink_before_syscall(long number,
                                                                           long operation) {
  if (!csink_real_syscall) {
    csink_real_syscall = reinterpret_cast<SyscallFunction>(csink::agent::FindNext("syscall"));
  }
  if (number == SYS_seccomp && operation != SECCOMP_GET_ACTION_AVAIL &&
      operation != SECCOMP_GET_NOTIF_SIZES) {
    if (csink::agent::Agent* agent = csink::agent::TheAgent()) {
      agent->BeforeSeccomp();
    }
  }
  return csink_real_syscall;
}

}  // extern "C"

#if defined(__x86_64__)
static_assert(SYS_seccomp == 317);
__asm__(
    ".text\n"
    ".globl syscall\n"
    ".type syscall, @function\n"
    "syscall:\n"
    "  movq csink_real_syscall(%rip), %rax\n"
    "  testq %rax, %rax\n"
    "  jz 1f\n"
    "  cmpq $317, %rdi\n"
    "  je 1f\n"
    "  jmpq *%rax\n"
    "1:\n"
    "  pushq %rdi\n"
    "  pushq %rsi\n"
    "  pushq %rdx\n"
    "  pushq %rcx\n"
    "  pushq %r8\n"
    "  pushq %r9\n"
    "  subq $8, %rsp\n"
    "  callq csink_before_syscall\n"
    "  addq $8, %rsp\n"
    "  popq %r9\n"
    "  popq %r8\n"
    "  popq %rcx\n"
    "  popq %rdx\n"
    "  popq %rsi\n"
    "  popq %rdi\n"
    "  jmpq *%rax\n"
    ".size syscall, .-syscall\n");
#else
static_assert(SYS_seccomp == 277);
__asm__(
    ".text\n"
    ".globl syscall\n"
    ".type syscall, %function\n"
    "syscall:\n"
    "  adrp x16, csink_real_syscall\n"
    "  ldr x16, [x16, #:lo12:csink_real_syscall]\n"
    "  cbz x16, 1f\n"
    "  cmp x0, #277\n"
    "  b.eq 1f\n"
    "  br x16\n"
    "1:\n"
    "  stp x0, x1, [sp, #-80]!\n"
    "  stp x2, x3, [sp, #16]\n"
    "  stp x4, x5, [sp, #32]\n"
    "  stp x6, x7, [sp, #48]\n"
    "  str x30, [sp, #64]\n"
    "  bl csink_before_syscall\n"
    "  mov x16, x0\n"
    "  ldr x30, [sp, #64]\n"
    "  ldp x6, x7, [sp, #48]\n"
    "  ldp x4, x5, [sp, #32]\n"
    "  ldp x2, x3, [sp, #16]\n"
    "  ldp x0, x1, [sp], #80\n"
    "  br x16\n"
    ".size syscall, .-syscall\n");
#endif
