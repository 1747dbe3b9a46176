#include "tests/bench/programs/burn.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

__attribute__((noinline, aligned(64))) static uint64_t Steps(uint64_t steps, uint64_t x) {
  for (uint64_t i = 0; i < steps; ++i) {
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
  }
  return x;
}

#ifdef BURN_FRAME_BYTES
// A frame that is larger than what CSINK_STACKS=unwind copies at first.
__attribute__((noinline)) static uint64_t LargeFrame(uint64_t steps) {
  volatile char room[BURN_FRAME_BYTES];
  for (size_t i = 0; i < sizeof room; i += 64) room[i] = (char)i;
  return Steps(steps, 88172645463325252u) + (unsigned char)room[0];
}
#endif

// The addition after the call keeps the compiler from turning it into a jump.
__attribute__((noinline)) static uint64_t Descend(uint64_t steps, unsigned depth) {
#ifdef BURN_FRAME_BYTES
  if (depth == 0) return LargeFrame(steps);
#endif
  if (depth == 0) return Steps(steps, 88172645463325252u);
  return Descend(steps, depth - 1) + 1;
}

uint64_t BurnSteps(uint64_t steps, unsigned depth) { return Descend(steps, depth); }

uint64_t CpuNanoseconds(int clock) {
  struct timespec t;
  clock_gettime((clockid_t)clock, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

uint64_t NumberOrDie(const char* text) {
  char* end = NULL;
  const unsigned long long value = strtoull(text, &end, 10);
  if (end == text || *end != '\0') {
    fprintf(stderr, "not a number: %s\n", text);
    exit(2);
  }
  return value;
}
