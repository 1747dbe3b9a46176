#include <linux/futex.h>
#include <sys/syscall.h>

#include "agent/critical/hooks/hooks.h"

/// File: syscall(2), through which std::atomic::wait, std::latch and locks of other runtimes use
/// futexes. It is an assembly jump and no C function, as in agent/hooks/syscall.cpp: programs pass
/// SYS_vfork, and SYS_clone with a stack for the child, through it.

extern "C" {

using SyscallFunction = long (*)(long, ...);

// libc's syscall, or that of libagent.so. Named in the assembler below.
__attribute__((visibility("hidden"))) SyscallFunction csink_critical_next_syscall = nullptr;

// Finds it, if another constructor calls syscall before ours.
__attribute__((visibility("hidden"))) void csink_critical_find_syscall() noexcept {
  csink_critical_next_syscall = reinterpret_cast<SyscallFunction>(dlsym(RTLD_NEXT, "syscall"));
}

// futex(2). Jumped to with the arguments of syscall(2).
__attribute__((visibility("hidden"))) long csink_critical_futex(long number, long address,
                                                                long operation, long value,
                                                                long timeout, long address2,
                                                                long value3) {
  using namespace csink::agent::critical;
  using csink::spool::MomentKind;
  const auto real = csink_critical_next_syscall;
  const auto call = [&] {
    return real(number, address, operation, value, timeout, address2, value3);
  };
  if (!IsOn()) return call();
  const auto object = static_cast<std::uint64_t>(address);
  switch (operation & FUTEX_CMD_MASK) {
    case FUTEX_WAIT:
    case FUTEX_WAIT_BITSET:
      return Waiting({MomentKind::kFutexWait, object, 0}, call);
    case FUTEX_WAKE:
    case FUTEX_WAKE_BITSET:
    case FUTEX_REQUEUE:
    case FUTEX_CMP_REQUEUE:
    case FUTEX_WAKE_OP: {
      const std::uint64_t before_ns = NowNs();
      const long woken = call();
      csink::agent::MomentBuffer* const own = woken > 0 ? Own() : nullptr;
      if (own) {
        own->PutPoint(MomentKind::kFutexWake, object, static_cast<std::uint32_t>(value), before_ns);
      }
      return woken;
    }
    default:
      return call();
  }
}

}  // extern "C"

namespace {

__attribute__((constructor)) void LookUp() noexcept { csink_critical_find_syscall(); }

}  // namespace

#if defined(__x86_64__)
static_assert(SYS_futex == 202);
__asm__(
    ".text\n"
    ".globl syscall\n"
    ".type syscall, @function\n"
    "syscall:\n"
    "  movq csink_critical_next_syscall(%rip), %rax\n"
    "  testq %rax, %rax\n"
    "  jz 1f\n"
    "2:\n"
    "  cmpq $202, %rdi\n"
    "  je csink_critical_futex\n"
    "  jmpq *%rax\n"
    "1:\n"
    "  pushq %rdi\n"
    "  pushq %rsi\n"
    "  pushq %rdx\n"
    "  pushq %rcx\n"
    "  pushq %r8\n"
    "  pushq %r9\n"
    "  subq $8, %rsp\n"
    "  callq csink_critical_find_syscall\n"
    "  addq $8, %rsp\n"
    "  popq %r9\n"
    "  popq %r8\n"
    "  popq %rcx\n"
    "  popq %rdx\n"
    "  popq %rsi\n"
    "  popq %rdi\n"
    "  movq csink_critical_next_syscall(%rip), %rax\n"
    "  jmp 2b\n"
    ".size syscall, .-syscall\n");
#else
static_assert(SYS_futex == 98);
__asm__(
    ".text\n"
    ".globl syscall\n"
    ".type syscall, %function\n"
    "syscall:\n"
    "  adrp x16, csink_critical_next_syscall\n"
    "  ldr x16, [x16, #:lo12:csink_critical_next_syscall]\n"
    "  cbz x16, 1f\n"
    "2:\n"
    "  cmp x0, #98\n"
    "  b.eq csink_critical_futex\n"
    "  br x16\n"
    "1:\n"
    "  stp x0, x1, [sp, #-80]!\n"
    "  stp x2, x3, [sp, #16]\n"
    "  stp x4, x5, [sp, #32]\n"
    "  stp x6, x7, [sp, #48]\n"
    "  str x30, [sp, #64]\n"
    "  bl csink_critical_find_syscall\n"
    "  ldr x30, [sp, #64]\n"
    "  ldp x6, x7, [sp, #48]\n"
    "  ldp x4, x5, [sp, #32]\n"
    "  ldp x2, x3, [sp, #16]\n"
    "  ldp x0, x1, [sp], #80\n"
    "  adrp x16, csink_critical_next_syscall\n"
    "  ldr x16, [x16, #:lo12:csink_critical_next_syscall]\n"
    "  b 2b\n"
    ".size syscall, .-syscall\n");
#endif
