// Two parallel regions of OpenMP with known work.   openmp_regions MS
// Uneven: thread 1 works twice as long as thread 0, so that a quarter of the region's time is its barrier.
// Even: both work alike. Between them the first thread works alone, and the other one is idle.
// Prints "uneven WAITING READY" and "even WAITING READY", shares of the threads' time in the region: waiting for the
// other thread, by wall clocks, and time in which a thread worked but had no processor.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#include "burn.h"

enum { kThreads = 2, kRounds = 6 };

__attribute__((noinline)) void Work(unsigned long ms) { BurnMs(ms); }
__attribute__((noinline)) void Serial(unsigned long ms) {
  __asm__ volatile("# not the same function as Work");
  BurnMs(ms);
}

// A region that took `wall` seconds, in which the threads worked `work` seconds together, `cpu` of it on a processor.
static void Print(const char* name, double work, double wall, double cpu) {
  printf("%s %.6f %.6f\n", name, 1 - work / (kThreads * wall), (work - cpu) / (kThreads * wall));
}

int main(int argc, char** argv) {
  const unsigned long ms = argc > 1 ? strtoul(argv[1], NULL, 10) : 20;
  double uneven_work = 0, uneven_wall = 0, even_work = 0, even_wall = 0;
  for (int round = 0; round < kRounds; ++round) {
    double begin = omp_get_wtime();
#pragma omp parallel num_threads(kThreads) reduction(+ : uneven_work)  // the uneven region
    {
      const double start = omp_get_wtime();
      Work(ms * (unsigned long)(omp_get_thread_num() + 1));
      uneven_work += omp_get_wtime() - start;
    }
    uneven_wall += omp_get_wtime() - begin;
    Serial(ms);
    begin = omp_get_wtime();
#pragma omp parallel num_threads(kThreads) reduction(+ : even_work)  // the even region
    {
      const double start = omp_get_wtime();
      Work(ms);
      even_work += omp_get_wtime() - start;
    }
    even_wall += omp_get_wtime() - begin;
  }
  const double unit = kRounds * 1e-3 * (double)ms;
  Print("uneven", uneven_work, uneven_wall, 3 * unit);
  Print("even", even_work, even_wall, 2 * unit);
  return 0;
}
