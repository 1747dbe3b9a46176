#include <cstdint>
#include <vector>

[[gnu::noinline]] static long Blur(const std::vector<int>& row, const std::vector<int>& at) {
  long sum = 0;
  for (int i : at) {
#ifdef SLOWER
    sum += row.at(i) + row.at(i + 1) * 2 + row.at(i + 2);
#else
    sum += row[i] + row[i + 1] * 2 + row[i + 2];
#endif
  }
  return sum;
}
int Task(long n, const char*) {
  std::vector<int> row(4098, 3);
  std::vector<int> at(4096);
  for (int i = 0; i < 4096; i++) at[i] = (i * 37) & 4095;
  long s = 0;
  for (long i = 0; i < n * 10; i++) {
    row[i & 4095] = int(i & 31);
    s += Blur(row, at);
  }
  return int(s);
}
