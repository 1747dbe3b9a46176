#include <cstddef>
#include <vector>

[[gnu::noinline]] long Gather(const std::vector<int>& idx, const std::vector<int>& val) {
  long s = 0;
  for (size_t i = 0; i < idx.size(); i++) s += val[idx[i]] ^ val[idx[i] ^ 1];
  return s;
}
int Task(long n, const char*) {
  std::vector<int> a(4096), b(4096);
  for (int i = 0; i < 4096; i++) {
    a[i] = (i * 37) & 4095;
    b[i] = i;
  }
  long s = 0;
  for (long i = 0; i < n * 10; i++) {
    b[i & 4095]++;
    s += Gather(a, b);
  }
  return int(s);
}
