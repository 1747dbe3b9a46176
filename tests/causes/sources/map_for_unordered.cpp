#include <cstdint>
#include <map>
#include <unordered_map>

#ifndef SLOWER
using Table = std::unordered_map<uint32_t, int>;
#else
using Table = std::map<uint32_t, int>;
#endif
[[gnu::noinline]] void Count(Table& t, uint32_t k) { t[k]++; }
int Task(long n, const char*) {
  Table t;
  uint32_t x = 1;
  for (long i = 0; i < n * 1000; i++) {
    x = x * 1664525u + 1013904223u;
    Count(t, x >> 20);
  }
  return int(t.size());
}
