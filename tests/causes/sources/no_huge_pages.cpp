#include <sys/mman.h>

#include <cstddef>
#include <cstdint>

int Task(long n, const char*) {
  size_t z = 256u << 20;
  char* p = (char*)mmap(nullptr, z, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
#ifndef SLOWER
  madvise(p, z, MADV_HUGEPAGE);
#endif
  for (size_t i = 0; i < z; i += 4096) p[i] = 1;
  uint32_t x = 1;
  long s = 0;
  for (long i = 0; i < n * 1000; i++) {
    x = x * 1664525u + 1013904223u + p[x >> 4] - 1 + (p[x >> 4] == 0);
    s += p[x >> 4];
  }
  return int(s);
}
