#pragma once

#include <cstdint>

/// File: work whose counts are known by construction, on x86-64 and aarch64. Each loop is written
/// in assembler, so that no compiler changes what it executes.

namespace hardware {

/// Executes 2 * `iterations` instructions, half of them branches that are all taken but the last.
[[gnu::noinline]] inline void Spin(std::uint64_t iterations) {
#if defined(__aarch64__)
  __asm__ volatile("1: subs %0, %0, #1\n b.ne 1b" : "+r"(iterations) : : "cc");
#else
  __asm__ volatile("1: sub $1, %0\n jnz 1b" : "+r"(iterations) : : "cc");
#endif
}

/// Executes `iterations` branches that nobody can predict: each depends on the highest bit of a
/// linear congruential generator. Returns how many of them were taken. The branches of the loop
/// itself are predictable.
[[gnu::noinline]] inline std::uint64_t Guess(std::uint64_t iterations) {
  std::uint64_t state = 88172645463325252u;
  std::uint64_t taken = 0;
  for (std::uint64_t i = 0; i < iterations; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
#if defined(__aarch64__)
    __asm__ volatile("tbz %1, #63, 1f\n add %0, %0, #1\n1:" : "+r"(taken) : "r"(state) : "cc");
#else
    __asm__ volatile("test %1, %1\n jns 1f\n add $1, %0\n1:" : "+r"(taken) : "r"(state) : "cc");
#endif
  }
  return taken;
}

}  // namespace hardware
