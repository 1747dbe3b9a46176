/// short_threads THREADS STEPS LIVE
///
/// Makes and joins THREADS threads, LIVE at a time; each does STEPS steps of work, the same whatever
/// interrupts it. Prints {"burned_ns": ..., "threads": ...}: the CPU time of the threads' work by
/// their own clocks.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "tests/bench/programs/burn.h"

static uint64_t burned_ns;

static void* Body(void* steps) {
  const uint64_t begin = CpuNanoseconds(CLOCK_THREAD_CPUTIME_ID);
  const volatile uint64_t sink = BurnSteps(*(const uint64_t*)steps, 0);
  (void)sink;
  const uint64_t spent = CpuNanoseconds(CLOCK_THREAD_CPUTIME_ID) - begin;
  __atomic_fetch_add(&burned_ns, spent, __ATOMIC_RELAXED);
  return NULL;
}

int main(int argc, char** argv) {
  if (argc != 4) {
    fprintf(stderr, "usage: %s THREADS STEPS LIVE\n", argv[0]);
    return 2;
  }
  const uint64_t count = NumberOrDie(argv[1]);
  uint64_t steps = NumberOrDie(argv[2]);
  const uint64_t live = NumberOrDie(argv[3]);
  pthread_t* threads = calloc(live, sizeof *threads);
  if (!threads) return 3;
  for (uint64_t done = 0; done < count; done += live) {
    const uint64_t batch = count - done < live ? count - done : live;
    for (uint64_t i = 0; i < batch; ++i) {
      if (pthread_create(&threads[i], NULL, Body, &steps) != 0) return 3;
    }
    for (uint64_t i = 0; i < batch; ++i) pthread_join(threads[i], NULL);
  }
  free(threads);
  printf("{\"burned_ns\": %llu, \"threads\": %llu}\n", (unsigned long long)burned_ns,
         (unsigned long long)count);
  return 0;
}
