#include <errno.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <sys/syscall.h>

#include "agent/libc/real.h"
#include "agent/process/program_observer.h"
#include "agent/process/task_list.h"
#include "agent/signals/program_memory.h"
#include "core/util/raw_syscall.h"

/// File: syscall(2), interposed for the few calls that concern the agent: seccomp, after which it
/// must not make system calls, exec, exit_group, exit, fork, vfork, and clone. It is an assembly
/// jump and not a C function: programs pass SYS_vfork, and SYS_clone with a stack for the
/// child, through it, and a C frame between the program and the kernel would be returned from
/// twice.

extern "C" {

using SyscallFunction = long (*)(long, ...);

// agent/hooks/vfork.cpp. Jumped to with the stack as the program's call of syscall has left it.
__attribute__((visibility("hidden"))) long csink_vfork(long, ...);

// libc's syscall, looked up at the first call. Named in the assembler below.
__attribute__((visibility("hidden"))) SyscallFunction csink_real_syscall = nullptr;

// seccomp(2), with the agent's work before and after it. The call returns once, so this may be a C
// function. It is jumped to with the arguments of syscall(2).
static long CallSeccomp(long number, long operation, long flags, void* filter) {
  csink::agent::ProgramObserver* agent = csink::agent::TheObserver();
  agent->BeforeSeccomp(operation == SECCOMP_SET_MODE_FILTER ? filter : nullptr);
  const long r = csink_real_syscall(number, operation, flags, filter);
  agent->AfterSeccomp(r >= 0);
  return r;
}

// execve(2) and execveat(2), with the agent's work before them and after a failure. Other arguments
// of exec do not matter here.
static long CallExec(long number, long a, long b, long c, long d, long e) {
  csink::agent::ProgramObserver* agent = csink::agent::TheObserver();
  agent->BeforeExec();
  const long r = csink_real_syscall(number, a, b, c, d, e);
  const int error = errno;
  agent->ExecFailed();
  errno = error;
  return r;
}

// fork(2), clone(2) or clone3(2) of a child that has memory of its own and returns on a copy of
// this stack, so that a C frame is no harm. libc runs no fork handlers for it.
static long CallFork(long number, long a, long b, long c, long d, long e) {
  csink::agent::ProgramObserver* agent = csink::agent::TheObserver();
  agent->BeforeFork();
  const long r = csink_real_syscall(number, a, b, c, d, e);
  if (r == 0) agent->AfterForkInChild();
  if (r > 0) agent->Forked(static_cast<pid_t>(r));
  return r;
}

// Handles clone(2). `stack`: of the child; 0: it goes on with the caller's.
static SyscallFunction BeforeClone(unsigned long long flags, unsigned long long stack) {
  if (flags & CLONE_THREAD) csink::agent::TheObserver()->BeforeUnseenThread();
  const bool is_fork = (flags & CLONE_VM) == 0 && stack == 0;
  return is_fork ? reinterpret_cast<SyscallFunction>(CallFork) : csink_real_syscall;
}

// The pointer is the program's and may be invalid, so it is read with CopyFromProgram.
static SyscallFunction BeforeClone3(long arguments) {
  struct {
    unsigned long long flags, pidfd, child_tid, parent_tid, exit_signal, stack;
  } begin = {};  // of struct clone_args
  if (!csink::agent::CopyFromProgram(reinterpret_cast<const void*>(arguments), &begin,
                                     sizeof begin)) {
    return csink_real_syscall;
  }
  return BeforeClone(begin.flags, begin.stack);
}

// Handles the first call of all and the calls that are not a plain jump. Returns the function to
// jump to.
__attribute__((visibility("hidden"))) SyscallFunction csink_before_syscall(long number,
                                                                           long operation,
                                                                           long second) {
  if (!csink_real_syscall) {
    csink_real_syscall = reinterpret_cast<SyscallFunction>(csink::agent::FindNext("syscall"));
  }
  csink::agent::ProgramObserver* agent = csink::agent::TheObserver();
  if (!agent) return csink_real_syscall;
  switch (number) {
    case SYS_seccomp:
      if (operation != SECCOMP_GET_ACTION_AVAIL && operation != SECCOMP_GET_NOTIF_SIZES) {
        return reinterpret_cast<SyscallFunction>(CallSeccomp);
      }
      break;
    case SYS_execve:
    case SYS_execveat:
      return reinterpret_cast<SyscallFunction>(CallExec);
    case SYS_exit_group:
      agent->Finish(csink::spool::End::kQuickExit, static_cast<int>(operation));
      break;
    case SYS_exit:
      // The end of the only thread is that of the process. In a sandbox the kernel is not asked.
      if (!agent->HasThreads() && (agent->sandboxed() || csink::agent::IsAlone())) {
        agent->Finish(csink::spool::End::kQuickExit, static_cast<int>(operation));
      }
      break;
    case SYS_clone:
      return BeforeClone(static_cast<unsigned long long>(operation),
                         static_cast<unsigned long long>(second));
#if defined(SYS_fork)
    case SYS_fork:
      return reinterpret_cast<SyscallFunction>(CallFork);
#endif
#if defined(SYS_vfork)
    case SYS_vfork:
      return csink_vfork;
#endif
    case SYS_clone3:
      return BeforeClone3(operation);
    default:
      break;
  }
  return csink_real_syscall;
}

}  // extern "C"

#if defined(__x86_64__)
static_assert(SYS_seccomp == 317 && SYS_execve == 59 && SYS_execveat == 322 &&
              SYS_exit_group == 231 && SYS_exit == 60 && SYS_clone == 56 && SYS_fork == 57 &&
              SYS_vfork == 58 && SYS_clone3 == 435);
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
    "  cmpq $59, %rdi\n"
    "  je 1f\n"
    "  cmpq $322, %rdi\n"
    "  je 1f\n"
    "  cmpq $231, %rdi\n"
    "  je 1f\n"
    "  cmpq $60, %rdi\n"
    "  je 1f\n"
    "  cmpq $56, %rdi\n"
    "  je 1f\n"
    "  cmpq $57, %rdi\n"
    "  je 1f\n"
    "  cmpq $58, %rdi\n"
    "  je 1f\n"
    "  cmpq $435, %rdi\n"
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
static_assert(SYS_seccomp == 277 && SYS_execve == 221 && SYS_execveat == 281 &&
              SYS_exit_group == 94 && SYS_exit == 93 && SYS_clone == 220 && SYS_clone3 == 435);
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
    "  cmp x0, #221\n"
    "  b.eq 1f\n"
    "  cmp x0, #281\n"
    "  b.eq 1f\n"
    "  cmp x0, #94\n"
    "  b.eq 1f\n"
    "  cmp x0, #93\n"
    "  b.eq 1f\n"
    "  cmp x0, #220\n"
    "  b.eq 1f\n"
    "  cmp x0, #435\n"
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
