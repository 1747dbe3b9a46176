// Many threads of one length of life.   thread_lives COUNT US LIVE [HOLD]
// COUNT threads, LIVE of them at a time, each burns US of its CPU time in Shorty.
// HOLD: all threads of a batch wait until the whole batch exists.
// The main thread first burns 100 ms in MainWork, so that there is something to report.
// Prints "threads N", "cpu_ns N" (the sum over the threads' own clocks) and "burned_ns N" (of that, what
// passed in Shorty).
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "burn.h"

static unsigned long quota_us;
static int hold;
static pthread_barrier_t all_here;
static uint64_t total_ns;
static uint64_t burned_ns;

__attribute__((noinline)) void* Shorty(void* unused) {
  if (hold) pthread_barrier_wait(&all_here);
  const uint64_t begin = ThreadCpuNs();
  if (quota_us >= 5000) {
    BurnMs(quota_us / 1000);
  } else {
    BurnShortUs(quota_us);
  }
  const uint64_t end = ThreadCpuNs();
  __atomic_fetch_add(&total_ns, end, __ATOMIC_RELAXED);
  __atomic_fetch_add(&burned_ns, end - begin, __ATOMIC_RELAXED);
  return unused;
}

__attribute__((noinline)) void MainWork(unsigned long ms) { BurnMs(ms); }

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  const int count = atoi(argv[1]);
  quota_us = strtoul(argv[2], NULL, 10);
  const int live = atoi(argv[3]);
  hold = argc > 4;
  MainWork(100);
  pthread_t* threads = calloc((size_t)live, sizeof *threads);
  pthread_attr_t attr;
  pthread_attr_init(&attr);
  pthread_attr_setstacksize(&attr, 64 << 10);
  int made = 0;
  for (int done = 0; done < count; done += live) {
    pthread_barrier_init(&all_here, NULL, (unsigned)live);
    for (int i = 0; i < live; ++i) {
      if (pthread_create(&threads[i], &attr, Shorty, NULL) != 0) {
        perror("pthread_create");
        return 3;
      }
      ++made;
    }
    for (int i = 0; i < live; ++i) pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&all_here);
  }
  printf("threads %d\ncpu_ns %llu\nburned_ns %llu\n", made, (unsigned long long)total_ns,
         (unsigned long long)burned_ns);
  free(threads);
  return 0;
}
