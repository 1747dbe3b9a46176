#include <cstddef>
#include <cstdint>
#include <vector>

extern "C" unsigned PackBlock(const unsigned char*, size_t, unsigned char*);
int Task(long n, const char*) {
  std::vector<unsigned char> v(16384), o(20000);
  uint32_t x = 1;
  for (auto& c : v) c = (x = x * 1664525u + 1013904223u) >> 30;
  unsigned s = 0;
  for (long i = 0; i < n; i++) {
    v[i & 16383]++;
    s += PackBlock(v.data(), v.size(), o.data());
  }
  return s;
}
