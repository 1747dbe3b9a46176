#include <functional>
#include <vector>

#ifdef SLOWER
using Each = std::function<long(int)>;
[[gnu::noinline]] static long ForEach(const std::vector<int>& v, const Each& each) {
#else
template <class Each>
[[gnu::noinline]] static long ForEach(const std::vector<int>& v, const Each& each) {
#endif
  long sum = 0;
  for (int x : v) sum += each(x);
  return sum;
}
int Task(long n, const char*) {
  std::vector<int> v(4096, 3);
  long s = 0;
  for (long i = 0; i < n * 10; i++) {
    v[i & 4095] = int(i);
    s += ForEach(v, [i](int x) { return (x ^ i) % 7 + (x >> 3); });
  }
  return int(s);
}
