#include <errno.h>
#include <sys/syscall.h>
#include <sys/types.h>

#include "agent/process/program_observer.h"

/// File: vfork, interposed so that the child is sampled until its exec or end. It is assembly and
/// no C function: the child returns from it on the parent's stack and calls further functions,
/// which overwrite the frame of vfork. So the return address is kept in a register over the system
/// call, as in the C library, and pushed again in the child and in the parent. The account of the
/// child is kept in a second register. The kernel preserves both.

extern "C" {

// Before the system call, in the parent. Returns the child's account or nullptr.
__attribute__((visibility("hidden"))) csink::agent::VforkChild* csink_before_vfork() {
  csink::agent::ProgramObserver* agent = csink::agent::TheObserver();
  return agent ? agent->BeforeVfork() : nullptr;
}

// After the system call, first in the child (`result` 0), then in the parent. Returns vfork's
// result. errno belongs to both, so the child leaves it alone.
__attribute__((visibility("hidden"))) pid_t csink_after_vfork(long result,
                                                              csink::agent::VforkChild* child) {
  if (child) {
    csink::agent::ProgramObserver* agent = csink::agent::TheObserver();
    if (result == 0) {
      agent->VforkChildStarted(*child);
    } else {
      agent->AfterVfork(*child, result);
    }
  }
  if (result >= 0) return static_cast<pid_t>(result);
  errno = static_cast<int>(-result);
  return -1;
}

}  // extern "C"

#if defined(__x86_64__)
static_assert(SYS_vfork == 58);
__asm__(
    ".text\n"
    ".globl vfork\n"
    ".type vfork, @function\n"
    ".globl csink_vfork\n"
    ".hidden csink_vfork\n"
    ".type csink_vfork, @function\n"
    "vfork:\n"
    "csink_vfork:\n"
    "  subq $8, %rsp\n"
    "  callq csink_before_vfork\n"
    "  addq $8, %rsp\n"
    "  movq %rax, %rsi\n"
    "  popq %rdi\n"
    "  movl $58, %eax\n"
    "  syscall\n"
    "  pushq %rdi\n"
    "  movq %rax, %rdi\n"
    "  jmp csink_after_vfork\n"
    ".size vfork, .-vfork\n");
#else
// clone with CLONE_VM | CLONE_VFORK | SIGCHLD; there is no vfork.
static_assert(SYS_clone == 220);
__asm__(
    ".text\n"
    ".globl vfork\n"
    ".type vfork, %function\n"
    ".globl csink_vfork\n"
    ".hidden csink_vfork\n"
    ".type csink_vfork, %function\n"
    "vfork:\n"
    "csink_vfork:\n"
    "  stp x29, x30, [sp, #-16]!\n"
    "  bl csink_before_vfork\n"
    "  ldp x29, x30, [sp], #16\n"
    "  mov x9, x0\n"
    "  mov x0, #0x4111\n"
    "  mov x1, sp\n"
    "  mov x2, #0\n"
    "  mov x3, #0\n"
    "  mov x4, #0\n"
    "  mov x8, #220\n"
    "  svc #0\n"
    "  mov x1, x9\n"
    "  b csink_after_vfork\n"
    ".size vfork, .-vfork\n");
#endif
