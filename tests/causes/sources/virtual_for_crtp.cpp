#include <cstdint>
#include <memory>

#ifdef SLOWER
struct Stage {
  virtual ~Stage() = default;
  virtual uint32_t Next(uint32_t x) = 0;
  [[gnu::noinline]] uint32_t Run(int n) {
    uint32_t x = 1;
    for (int i = 0; i < n; i++) x = Next(x) + i;
    return x;
  }
};
struct Scramble : Stage {
  uint32_t k = 5;
  uint32_t Next(uint32_t x) override { return (x ^ k) + (x >> 9); }
};
struct Negate : Stage {
  uint32_t Next(uint32_t x) override { return ~x; }
};
static Stage* Make(long n) {
  if (n < 0) return new Negate;
  return new Scramble;
}
#else
template <class Self>
struct Stage {
  [[gnu::noinline]] uint32_t Run(int n) {
    uint32_t x = 1;
    for (int i = 0; i < n; i++) x = static_cast<Self*>(this)->Next(x) + i;
    return x;
  }
};
struct Scramble : Stage<Scramble> {
  uint32_t k = 5;
  uint32_t Next(uint32_t x) { return (x ^ k) + (x >> 9); }
};
static Scramble* Make(long) { return new Scramble; }
#endif
int Task(long n, const char*) {
  auto* stage = Make(n);
  uint32_t s = 0;
  for (long i = 0; i < n; i++) s += stage->Run(10000);
  delete stage;
  return int(s);
}
