// slow_instruction [CPU_MS]: a loop of quick instructions with one slow one, a division that waits
// for the one before. Nearly all the time is its: whoever knows its address knows how far samples slip.
#include <stdio.h>
#include <stdlib.h>

#include "burn.h"

#if defined(__x86_64__)
#define DIVIDE(low, high, by) __asm__ volatile(SLOW : "+a"(low), "+d"(high) : "r"(by) : "cc")
#define SLOW                                 \
  "nop\n\tnop\n\tnop\n\tnop\n\t"             \
  ".globl slow_instruction\nslow_instruction:\n\t" \
  "divq %2\n\t"                              \
  "nop\n\tnop\n\tnop\n\tnop\n\tnop\n\tnop"
#elif defined(__aarch64__)
#define DIVIDE(low, high, by) __asm__ volatile(SLOW : "+r"(low), "+r"(high) : "r"(by))
#define SLOW                                 \
  "nop\n\tnop\n\tnop\n\tnop\n\t"             \
  ".globl slow_instruction\nslow_instruction:\n\t" \
  "udiv %0, %0, %2\n\t"                      \
  "nop\n\tnop\n\tnop\n\tnop\n\tnop\n\tnop"
#endif

__attribute__((noinline)) unsigned long SlowLoop(unsigned long rounds) {
  unsigned long rest = 1;
  for (unsigned long i = 0; i < rounds; i++) {
    unsigned long low = 0x123456789abcdefUL ^ rest;
    unsigned long high = 1;
#ifdef SLOW
    const unsigned long divisor = 1UL << 62 | 0x7fffffffUL;
    DIVIDE(low, high, divisor);  // SLOW LINE
#else
    low /= rest | 1;
    high = low;
#endif
    rest = low + high;
  }
  return rest;
}

int main(int argc, char** argv) {
  const long ms = argc > 1 ? atol(argv[1]) : 500;
  const long long end = (long long)ProcessCpuNs() + ms * 1000000LL;
  unsigned long sum = 0;
  while ((long long)ProcessCpuNs() < end) sum += SlowLoop(20000);
  printf("sum %lu\n", sum);
  return 0;
}
