#include <vector>

static const int N = 2048;
static std::vector<int> m(N* N, 1);
[[gnu::noinline]] static long SumAll() {
  long s = 0;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
#ifndef SLOWER
      s += m[i * N + j] >> (j & 3);
#else
      s += m[j * N + i] >> (j & 3);
#endif
  return s;
}
int Task(long n, const char*) {
  long s = 0;
  for (long i = 0; i < n; i++) {
    m[i & 4095]++;  // Otherwise the compiler takes the sum out of the loop.
    s += SumAll();
  }
  return int(s);
}
