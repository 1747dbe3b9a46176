#include <vector>

struct Rec {
  std::vector<int> v;
  int k;
};
#ifndef SLOWER
[[gnu::noinline]] int Score(const Rec& r) {
  int s = r.k;
  for (int i = 0; i < 900; i += 9) s += r.v[i] * i;
  return s;
}
#else
[[gnu::noinline]] int Score(Rec r) {
  int s = r.k;
  for (int i = 0; i < 900; i += 9) s += r.v[i] * i;
  return s;
}
#endif
int Task(long n, const char*) {
  Rec r;
  r.v.assign(1000, 3);
  r.k = 1;
  int s = 0;
  for (long i = 0; i < n * 100; i++) {
    r.k = int(i);
    s += Score(r);
  }
  return s;
}
