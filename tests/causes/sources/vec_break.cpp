#include <vector>

[[gnu::noinline]] int Total(const int* v, int n) {
  int s = 0;
  for (int i = 0; i < n; i++) {
#ifdef SLOWER
    if (v[i] < 0) break;
#endif
    s += v[i] * 3;
  }
  return s;
}
int Task(long n, const char*) {
  std::vector<int> v(8192);
  for (int i = 0; i < 8192; i++) v[i] = i;
  int s = 0;
  for (long i = 0; i < n * 10; i++) {
    v[i & 8191] = i & 1023;
    s += Total(v.data(), 8192);
  }
  return s;
}
