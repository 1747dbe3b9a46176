#include <cstdint>
#include <vector>

[[gnu::noinline]] static int Find(const std::vector<uint32_t>& sorted, uint32_t key) {
#ifdef SLOWER
  int at = 0;
  while (at < int(sorted.size()) && sorted[at] < key) ++at;
  return at;
#else
  int low = 0;
  int high = int(sorted.size());
  while (low < high) {
    const int middle = (low + high) / 2;
    if (sorted[middle] < key) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
#endif
}
int Task(long n, const char*) {
  std::vector<uint32_t> sorted(256);
  for (uint32_t i = 0; i < 256; i++) sorted[i] = i * 11;
  uint32_t x = 1;
  int s = 0;
  for (long i = 0; i < n * 1000; i++) {
    x = x * 1664525u + 1013904223u;
    s += Find(sorted, (x >> 8) % 2816);
  }
  return s;
}
