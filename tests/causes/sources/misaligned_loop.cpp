#include <cstdint>

// The loop straddles the end of a line of the decoder's cache in the slower build.
[[gnu::noinline]] static uint64_t Mix(uint64_t x, long n) {
#ifdef SLOWER
  asm volatile(".p2align 6\n.skip 61, 0x90");
#else
  asm volatile(".p2align 6");
#endif
  for (long i = 0; i < n; i++) {
    x += x >> 7;
    asm volatile("" : "+r"(x));
  }
  return x;
}
int Task(long n, const char*) {
  uint64_t x = 77;
  for (long i = 0; i < n; i++) x = Mix(x | 1, 20000);
  return int(x);
}
