// For C libraries that are not glibc: a loop and a line.
#include <stdio.h>

int main(void) {
  unsigned long x = 1;
  for (unsigned long i = 0; i < 50000000; ++i) x = x * 6364136223846793005u + 1442695040888963407u;
  printf("x %lu\n", x);
  return 0;
}
