#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <vector>

[[gnu::noinline]] static void Order(std::vector<uint32_t>& v) {
#ifdef SLOWER
  std::qsort(v.data(), v.size(), sizeof v[0], [](const void* a, const void* b) {
    const uint32_t x = *static_cast<const uint32_t*>(a);
    const uint32_t y = *static_cast<const uint32_t*>(b);
    return x < y ? -1 : int(x > y);
  });
#else
  std::sort(v.begin(), v.end());
#endif
}
int Task(long n, const char*) {
  std::vector<uint32_t> v(1000);
  uint32_t x = 1;
  int s = 0;
  for (long i = 0; i < n; i++) {
    for (uint32_t& one : v) one = x = x * 1664525u + 1013904223u;
    Order(v);
    s += int(v[i % 1000]);
  }
  return s;
}
