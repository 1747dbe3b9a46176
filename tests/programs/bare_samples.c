// What the kernel gets when it samples spinning threads, without any profiler: bare_samples N MS
// Each thread has a bare task-clock event of user mode, a sample every millisecond of its CPU time.
// Prints "thread TID CPU_NS SAMPLED_NS" for each.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "burn.h"
#include "tests/bench/programs/bare_event.h"

enum { kPeriodNs = 1000000, kRingPages = 8 };

static unsigned long quota_ms;

static void* Spin(void* unused) {
  (void)unused;
  struct BareEvent event = OpenBareEvent(kPeriodNs, kRingPages);
  const uint64_t begin = ThreadCpuNs();
  BurnMs(quota_ms);
  const uint64_t cpu_ns = ThreadCpuNs() - begin;
  const uint64_t samples = BareEventSamples(&event, kPeriodNs);
  printf("thread %d %llu %llu\n", Tid(), (unsigned long long)cpu_ns,
         (unsigned long long)samples * kPeriodNs);
  CloseBareEvent(&event);
  return NULL;
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const int count = atoi(argv[1]);
  quota_ms = strtoul(argv[2], NULL, 10);
  pthread_t threads[64];
  if (count < 1 || count > 64) return 2;
  for (int i = 0; i < count; ++i) pthread_create(&threads[i], NULL, Spin, NULL);
  for (int i = 0; i < count; ++i) pthread_join(threads[i], NULL);
  return 0;
}
