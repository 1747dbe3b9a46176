#include <cstddef>
#include <cstring>
#include <vector>

[[gnu::noinline]] static void Move(char* d, const char* s, size_t n) {
  memmove(d, s, n);
  asm volatile("" ::: "memory");
}
int Task(long n, const char*) {
  std::vector<char> a(1 << 14), b(1 << 14);
  size_t s = 0;
  for (long i = 0; i < n * 10; i++) {
    Move(a.data() + (i & 63), b.data(), 700 + (i & 511));
    s += a[5];
  }
  return int(s);
}
