#include <fcntl.h>
#include <unistd.h>

#include <cstdint>

[[gnu::noinline]] static uint32_t Sum(const unsigned char* at, long size, uint32_t sum) {
  for (long i = 0; i < size; i++) sum = sum * 31 + at[i];
  return sum;
}
int Task(long n, const char* path) {
  uint32_t s = 0;
  const int file = open(path, O_RDONLY);
  const long size = lseek(file, 0, SEEK_END);
  for (long i = 0; i < n; i++) {
    lseek(file, 0, SEEK_SET);
#ifdef SLOWER
    unsigned char piece[16];
#else
    static unsigned char piece[65536];
#endif
    for (long got; (got = read(file, piece, sizeof piece)) > 0;) s = Sum(piece, got, s);
  }
  close(file);
  return int(s + size);
}
