#include <atomic>
#include <cstdint>

#ifndef SLOWER
static uint64_t hits[16];
#else
static std::atomic<uint64_t> hits[16];
#endif
[[gnu::noinline]] static uint64_t Lookup(uint64_t x) {
  hits[x & 15]++;
  for (int j = 0; j < 6; j++) x = x * 6364136223846793005ull + 1;
  return x;
}
int Task(long n, const char*) {
  uint64_t s = 0;
  for (long i = 0; i < n * 1000; i++) s += Lookup(i) >> 9;
  return int(s + hits[3]);
}
