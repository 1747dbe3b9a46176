#pragma once

/// File: how the workloads burn a known amount of CPU time.
///
/// Everything is inlined into the caller, so that the samples land in the function
/// that asked for the burn. The quota is one of the calling thread's CPU clock, never
/// of wall time: the tests mean the same on a loaded machine. The clock is read by a
/// plain system call (no errno, no TLS: a thread made by raw clone may use it too).

#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define BURN_INLINE static inline __attribute__((always_inline, unused))

/// Rounds between two looks at the clock: about 0.3 ms, so that the look itself
/// (kernel time, which is not sampled) stays below 0.3 % of the burn.
#define BURN_COARSE 200000UL
/// About 25 us, for threads that live less than a millisecond.
#define BURN_FINE 15000UL

BURN_INLINE uint64_t ThreadCpuNs(void) {
  struct timespec t;
  syscall(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

BURN_INLINE uint64_t ProcessCpuNs(void) {
  struct timespec t;
  syscall(SYS_clock_gettime, CLOCK_PROCESS_CPUTIME_ID, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/// A chain of dependent multiplications; the compiler can neither drop nor fold it.
BURN_INLINE void SpinRounds(unsigned long rounds) {
  uint64_t x = 88172645463325252u;
  for (unsigned long i = 0; i < rounds; ++i) {
    x = x * 6364136223846793005u + 1442695040888963407u;
    __asm__ volatile("" : "+r"(x));
  }
}

/// A number below `limit`, another one at each call. A loop whose rounds are all alike walks in
/// step with the sampling period, and its samples are no independent draws. `state` starts
/// anywhere.
BURN_INLINE unsigned long OutOfStep(uint64_t* state, unsigned long limit) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (unsigned long)(*state >> 33) % limit;
}

/// Spins until the thread's CPU clock has advanced by `us`.
BURN_INLINE void BurnUsBy(unsigned long us, unsigned long rounds) {
  const uint64_t end = ThreadCpuNs() + us * 1000u;
  while (ThreadCpuNs() < end) SpinRounds(rounds);
}
BURN_INLINE void BurnMs(unsigned long ms) { BurnUsBy(ms * 1000u, BURN_COARSE); }
BURN_INLINE void BurnShortUs(unsigned long us) { BurnUsBy(us, BURN_FINE); }

BURN_INLINE int Tid(void) { return (int)syscall(SYS_gettid); }
