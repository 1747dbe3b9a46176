// Says whether the kernel runs it in secure mode (a set-uid copy) and burns.   secure MS
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>

#include "burn.h"

__attribute__((noinline)) void Work(unsigned long ms) { BurnMs(ms); }

int main(int argc, char** argv) {
  Work(argc > 1 ? strtoul(argv[1], NULL, 10) : 100);
  printf("secure %lu\n", getauxval(AT_SECURE));
  return 0;
}
