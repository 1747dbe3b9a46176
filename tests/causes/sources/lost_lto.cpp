#include <cstdint>
#include <vector>

uint32_t Fold(uint32_t a, uint32_t b);  // lost_lto_part.cpp

[[gnu::noinline]] static uint32_t Digest(const std::vector<uint32_t>& v) {
  uint32_t d = 7;
  for (uint32_t x : v) d = Fold(d, x);
  return d;
}
int Task(long n, const char*) {
  std::vector<uint32_t> v(4096, 99);
  uint32_t s = 0;
  for (long i = 0; i < n * 10; i++) {
    v[i & 4095] += 3;
    s += Digest(v);
  }
  return int(s);
}
