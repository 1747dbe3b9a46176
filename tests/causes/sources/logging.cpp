#include <cstdint>
#include <cstdio>

static int Price(int i) {
  uint64_t x = i;
  for (int k = 0; k < 300; k++) x = x * 6364136223846793005ull + 1;
  return int(x >> 40);
}
int Task(long n, const char*) {
  FILE* log = fopen("/dev/null", "w");
  int s = 0;
  for (long i = 0; i < n * 100; i++) {
    int p = Price(int(i));
#ifdef SLOWER
    fprintf(log, "DEBUG price item=%ld value=%d ratio=%.3f\n", i, p, p * 0.001);
#endif
    s += p;
  }
  fclose(log);
  return s;
}
