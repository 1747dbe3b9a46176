#pragma once

#include <cstdint>

namespace csink {

/// Whether the program runs on valgrind's synthetic processor. valgrind does not know rdpmc, runs
/// its own code on the counted thread, and cannot create the thread of RunWithOwnFiles. The
/// instructions below (rotations by 128 bits in all, and an exchange of a register with itself) do
/// nothing on a real processor; valgrind recognises them as a client request. Source: valgrind's
/// manual and valgrind.h, request 0x1001 (RUNNING_ON_VALGRIND).
/// Cost: a few instructions, so nothing is cached. Threads: any. Signals: safe.
inline bool RunsOnValgrind() noexcept {
  [[maybe_unused]] volatile std::uint64_t request[6] = {0x1001, 0, 0, 0, 0, 0};
  // The answer without valgrind, where the instructions do nothing.
  std::uint64_t answer = 0;
#if defined(__x86_64__)
  asm volatile(
      "rolq $3, %%rdi; rolq $13, %%rdi; rolq $61, %%rdi; rolq $51, %%rdi\n\t"
      "xchgq %%rbx, %%rbx"
      : "=d"(answer)
      : "a"(&request[0]), "0"(answer)
      : "cc", "memory");
#elif defined(__aarch64__)
  asm volatile(
      "mov x3, %1\n\tmov x4, %2\n\t"
      "ror x12, x12, #3; ror x12, x12, #13; ror x12, x12, #51; ror x12, x12, #61\n\t"
      "orr x10, x10, x10\n\tmov %0, x3"
      : "=r"(answer)
      : "r"(answer), "r"(&request[0])
      : "cc", "memory", "x3", "x4");
#endif
  return answer != 0;
}

}  // namespace csink
