#pragma once

#include <cstdarg>
#include <cstdint>
#include <cstdio>

/// File: what the guest's programs have in common: a loop whose instructions are known, and checks
/// that check_guest.py reads. Each is a line "check good|BAD name: what was found"; the last line
/// is "checks N".

namespace guest {

inline int& ChecksDone() {
  static int done = 0;
  return done;
}

[[gnu::format(printf, 3, 4)]] inline bool Check(bool good, const char* name, const char* format,
                                                ...) {
  ++ChecksDone();
  std::printf("check %s %s: ", good ? "good" : "BAD", name);
  va_list args;
  va_start(args, format);
  std::vprintf(format, args);
  va_end(args);
  std::printf("\n");
  std::fflush(stdout);
  return good;
}

inline void LastLine() { std::printf("checks %d\n", ChecksDone()); }

/// Executes exactly 2 * `iterations` instructions, and less than 20 around them.
[[gnu::noinline]] inline void Spin(std::uint64_t iterations) {
#if defined(__aarch64__)
  __asm__ volatile("1: subs %0, %0, #1\n b.ne 1b" : "+r"(iterations) : : "cc");
#else
  __asm__ volatile("1: sub $1, %0\n jnz 1b" : "+r"(iterations) : : "cc");
#endif
}

}  // namespace guest
