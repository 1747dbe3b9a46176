// A function whose name is chosen by the compiler's options: cc -DWORK=name. Its lines stay.
#include <stdlib.h>

#ifndef WORK
#define WORK work
#endif

__attribute__((noinline)) unsigned WORK(unsigned rounds) {
  unsigned sum = 1;
  for (unsigned i = 0; i < rounds; ++i) {
    sum = sum * 1664525u + 1013904223u;
    __asm__ volatile("" : "+r"(sum));
  }
  return sum;
}

__attribute__((noinline)) unsigned Other(unsigned rounds) {
  unsigned sum = 2;
  for (unsigned i = 0; i < rounds; ++i) {
    sum = sum * 22695477u + 1u;
    __asm__ volatile("" : "+r"(sum));
  }
  return sum;
}

int main(int argc, char** argv) {
  const unsigned rounds = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 200000000u;
  return (WORK(rounds) + Other(rounds)) == 7;
}
