#include <vector>

struct Shape {
  virtual ~Shape() {}
  virtual int Area(int k) const = 0;
};
struct Box final : Shape {
  int w = 3, h = 4;
  int Area(int k) const override { return w * h + k; }
};
struct Tri final : Shape {
  int w = 3, h = 4;
  int Area(int k) const override { return w * h / 2 + k; }
};
#ifndef SLOWER
using Item = Box;
#else
using Item = Shape;
#endif
[[gnu::noinline]] long Sum(Item* const* v, int n) {
  long s = 0;
  for (int i = 0; i < n; i++) s += v[i]->Area(i);
  return s;
}
int Task(long n, const char*) {
  Tri t;
  Box b[64];
  std::vector<Item*> v;
  for (int i = 0; i < 4096; i++) v.push_back(&b[i & 63]);
  long s = t.Area(1);
  for (long i = 0; i < n * 10; i++) {
    b[i & 63].w++;
    s += Sum(v.data(), 4096);
  }
  return int(s);
}
