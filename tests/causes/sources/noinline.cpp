#include <cstddef>
#include <cstdint>
#include <vector>

struct Grid {
  std::vector<uint32_t> v;
  int w;
#ifdef SLOWER
  [[gnu::noinline]]
#endif
  uint32_t
  At(int x, int y) const {
    return v[size_t(y) * w + x];
  }
};
[[gnu::noinline]] uint32_t Fold(const Grid& g) {
  uint32_t s = 0;
  for (int y = 1; y < 63; y++)
    for (int x = 1; x < 63; x++) s = s * 3 + (g.At(x, y) ^ g.At(x - 1, y) ^ g.At(x, y - 1));
  return s;
}
int Task(long n, const char*) {
  Grid g;
  g.w = 64;
  g.v.resize(4096);
  for (int i = 0; i < 4096; i++) g.v[i] = i * 77u;
  uint32_t s = 0;
  for (long i = 0; i < n * 10; i++) {
    g.v[i & 4095]++;
    s += Fold(g);
  }
  return s;
}
