#include <cmath>
#include <vector>

[[gnu::noinline]] static double Energy(const std::vector<double>& v, double power) {
  double sum = 0;
#ifdef SLOWER
  for (double x : v) sum += std::pow(x, power);
#else
  for (double x : v) sum += x * x * power;
#endif
  return sum;
}
int Task(long n, const char*) {
  std::vector<double> v(1024, 1.25);
  double s = 0;
  for (long i = 0; i < n; i++) {
    v[i & 1023] = double(i & 15) + 0.5;
    s += Energy(v, 2.5);
  }
  return int(s);
}
