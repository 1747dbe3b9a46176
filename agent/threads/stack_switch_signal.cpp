#include "agent/threads/stack_switch.h"

/// File: the change of stacks, in assembler. The old stack pointer is kept in a register that the
/// called function preserves (rbx, x19); all registers that a call may change are in the list of
/// clobbers.

namespace csink::agent {

void RunOnStack(void (*function)(void*), void* arg, void* stack_top) noexcept {
#if defined(__x86_64__)
  __asm__ volatile(
      "movq %%rsp, %%rbx\n\t"
      "movq %[top], %%rsp\n\t"
      "callq *%[function]\n\t"
      "movq %%rbx, %%rsp"
      : "+D"(arg)
      : [top] "r"(stack_top), [function] "r"(function)
      : "rax", "rbx", "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11", "xmm0", "xmm1", "xmm2", "xmm3",
        "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14",
        "xmm15", "memory", "cc");
#else
  register void* x0 __asm__("x0") = arg;
  __asm__ volatile(
      "mov x19, sp\n\t"
      "mov sp, %[top]\n\t"
      "blr %[function]\n\t"
      "mov sp, x19"
      : "+r"(x0)
      : [top] "r"(stack_top), [function] "r"(function)
      : "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14",
        "x15", "x16", "x17", "x19", "x30", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8",
        "v9", "v10", "v11", "v12", "v13", "v14", "v15", "v16", "v17", "v18", "v19", "v20", "v21",
        "v22", "v23", "v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31", "memory", "cc");
#endif
}

}  // namespace csink::agent
