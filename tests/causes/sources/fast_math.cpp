#include <vector>

[[gnu::noinline]] float Dot(const float* a, const float* b, int n) {
  float s = 0;
  for (int i = 0; i < n; i++) s += a[i] * b[i];
  return s;
}
int Task(long n, const char*) {
  std::vector<float> a(4096, 1.5f), b(4096, 0.5f);
  float s = 0;
  for (long i = 0; i < n * 10; i++) {
    a[i & 4095] = i & 7;
    s += Dot(a.data(), b.data(), 4096);
  }
  return int(s);
}
