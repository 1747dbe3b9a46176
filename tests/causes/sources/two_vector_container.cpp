#include <list>
#include <vector>

#ifdef SLOWER
using Prices = std::list<int>;
#else
using Prices = std::vector<int>;
#endif
[[gnu::noinline]] static int Most(const Prices& prices) {
  int most = 0;
  for (int price : prices) {
    if ((price ^ 5) > most) most = price;
  }
  return most;
}
[[gnu::noinline]] static int Total(const int* v, int n) {
  int sum = 0;
  for (int i = 0; i < n; i++) {
#ifdef SLOWER
    if (v[i] < 0) break;
#endif
    sum += v[i] * 3;
  }
  return sum;
}
int Task(long n, const char*) {
  Prices prices;
  for (int i = 0; i < 4000; i++) prices.push_back(i * 37 % 4001);
  std::vector<int> v(8192, 9);
  int s = 0;
  for (long i = 0; i < n * 10; i++) {
    v[i & 8191] = int(i & 1023);
    s += Most(prices) + Total(v.data(), 8192);
  }
  return s;
}
