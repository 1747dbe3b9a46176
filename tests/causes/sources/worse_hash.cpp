#include <cstddef>
#include <cstdint>
#include <unordered_map>

#ifndef SLOWER
struct Hash {
  size_t operator()(uint64_t x) const {
    x *= 0x9E3779B97F4A7C15ull;
    return x ^ (x >> 32);
  }
};
#else
struct Hash {
  size_t operator()(uint64_t x) const { return x & 0xfffff800; }
};
#endif
int Task(long n, const char*) {
  std::unordered_map<uint64_t, int, Hash> t;
  for (uint64_t i = 0; i < 4096; i++) t[i * 64] = 1;
  uint32_t x = 1;
  int s = 0;
  for (long i = 0; i < n * 1000; i++) {
    x = x * 1664525u + 1013904223u;
    auto it = t.find((x >> 20) * 64);
    if (it != t.end()) s += it->second;
  }
  return s;
}
