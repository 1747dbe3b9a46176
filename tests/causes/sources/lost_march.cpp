#include <vector>

[[gnu::noinline]] static void Accumulate(double* a, const double* b, const double* c, int n) {
  for (int i = 0; i < n; i++) a[i] = a[i] * 0.5 + b[i] * c[i];
}
int Task(long n, const char*) {
  std::vector<double> a(1024, 1.0), b(1024, 1.5), c(1024, 0.25);
  for (long i = 0; i < n * 20; i++) Accumulate(a.data(), b.data(), c.data(), 1024);
  return int(a[5]);
}
