#include <unistd.h>

#include <cstdint>

[[gnu::noinline]] static int Retry(int i) {
#ifdef SLOWER
  if (i % 8 == 0) usleep(1000);
#endif
  uint64_t x = i;
  for (int k = 0; k < 20000; k++) x = x * 6364136223846793005ull + 1;
  return int(x);
}
int Task(long n, const char*) {
  int s = 0;
  for (long i = 0; i < n; i++) s += Retry(int(i));
  return s;
}
