#include <unistd.h>

#include <cstddef>
#include <cstdio>

#ifndef SLOWER
static FILE* f;
static void Put(const char* p, size_t n) { fwrite(p, 1, n, f); }
#else
static FILE* f;
static void Put(const char* p, size_t n) {
  if (write(fileno(f), p, n)) {
  }
}
#endif
int Task(long n, const char*) {
  f = fopen("/dev/shm/causes.out", "w");
  char b[64];
  for (long i = 0; i < n * 100; i++) {
    int k = snprintf(b, sizeof b, "row %ld value %ld\n", i, i * 7);
    Put(b, k);
  }
  fclose(f);
  unlink("/dev/shm/causes.out");
  return 0;
}
