// What the kernel gets when it samples spinning threads, without any profiler: bare_samples N MS
// Each thread has a bare task-clock event of user mode, a sample every millisecond of its CPU time.
// Prints "thread TID CPU_NS SAMPLED_NS" for each.
#include <linux/perf_event.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "burn.h"

enum { kPeriodNs = 1000000, kRingPages = 8, kSampleBytes = 16 };

static unsigned long quota_ms;

static int OpenClock(void) {
  struct perf_event_attr attr;
  memset(&attr, 0, sizeof attr);
  attr.size = sizeof attr;
  attr.type = PERF_TYPE_SOFTWARE;
  attr.config = PERF_COUNT_SW_TASK_CLOCK;
  attr.sample_period = kPeriodNs;
  attr.sample_type = PERF_SAMPLE_IP;
  attr.exclude_kernel = 1;
  attr.exclude_hv = 1;
  return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

static void* Spin(void* unused) {
  (void)unused;
  const size_t bytes = (kRingPages + 1) * (size_t)sysconf(_SC_PAGESIZE);
  const int fd = OpenClock();
  const struct perf_event_mmap_page* ring =
      mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (fd < 0 || ring == MAP_FAILED) {
    perror("no sampling event");
    exit(1);
  }
  const uint64_t begin = ThreadCpuNs();
  BurnMs(quota_ms);
  const uint64_t cpu_ns = ThreadCpuNs() - begin;
  const uint64_t samples = __atomic_load_n(&ring->data_head, __ATOMIC_ACQUIRE) / kSampleBytes;
  printf("thread %d %llu %llu\n", Tid(), (unsigned long long)cpu_ns,
         (unsigned long long)samples * kPeriodNs);
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
