// A pool of OpenMP's.   openmp MS      Each of 4 threads burns MS in Loop; prints "cpu_ns N".
#include <stdio.h>
#include <stdlib.h>

#include "burn.h"

__attribute__((noinline)) void Loop(unsigned long ms) { BurnMs(ms); }

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const unsigned long ms = strtoul(argv[1], NULL, 10);
  uint64_t total = 0;
#pragma omp parallel for num_threads(4) reduction(+ : total) schedule(static, 1)
  for (int i = 0; i < 8; ++i) {
    const uint64_t begin = ThreadCpuNs();
    Loop(ms / 2);
    total += ThreadCpuNs() - begin;
  }
  printf("cpu_ns %llu\n", (unsigned long long)total);
  return 0;
}
