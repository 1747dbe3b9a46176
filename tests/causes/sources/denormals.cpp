#include <algorithm>
#include <vector>

[[gnu::noinline]] static void Decay(double* v, int n, double f) {
  for (int i = 0; i < n; i++) v[i] = v[i] * f + v[i] * 0.25;
}
int Task(long n, const char*) {
  std::vector<double> v(4096);
  for (long i = 0; i < n; i++) {
#ifndef SLOWER
    if (i % 64 == 0) std::fill(v.begin(), v.end(), 1.0);
#else
    if (i % 64 == 0) std::fill(v.begin(), v.end(), i % 1024 ? 1.0 : 1e-307);
#endif
    Decay(v.data(), 4096, 0.5);
  }
  return int(v[7]);
}
