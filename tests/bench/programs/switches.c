/// switches TRIPS plain|clock|clock+records|records
///
/// Two processes on one processor that hand a byte to and fro: each trip is two context switches.
/// `clock`: each process has a sampling event on its CPU clock; `clock+records`: this event records
/// each switch, too (PERF_RECORD_SWITCH); `records`: an event that does nothing else.
/// Prints {"cpu_ns": ..., "switches": ...}, the CPU time of both processes.
#include <linux/perf_event.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/bench/programs/burn.h"

enum { kRingBytes = 1 << 24 };

// Opens an event for this process with a ring that nobody drains and that nearly all records fit.
static int OpenEvent(int has_clock, int has_records) {
  struct perf_event_attr attr;
  memset(&attr, 0, sizeof attr);
  attr.size = sizeof attr;
  attr.type = PERF_TYPE_SOFTWARE;
  attr.config = has_clock ? PERF_COUNT_SW_TASK_CLOCK : PERF_COUNT_SW_DUMMY;
  if (has_clock) attr.sample_period = 1000003;
  attr.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
  attr.exclude_kernel = 1;
  attr.exclude_hv = 1;
  attr.context_switch = has_records != 0;
  attr.sample_id_all = 1;
  const int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
  if (fd < 0) return -1;
  const long page = sysconf(_SC_PAGESIZE);
  void* ring = mmap(NULL, (size_t)page + kRingBytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  return ring == MAP_FAILED ? -1 : fd;
}

static double CpuOf(int who) {
  struct rusage use;
  getrusage(who, &use);
  return 1e9 * (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
         1e3 * (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec);
}

int main(int argc, char** argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: %s TRIPS plain|clock|clock+records|records\n", argv[0]);
    return 2;
  }
  const uint64_t trips = NumberOrDie(argv[1]);
  const int has_clock = strstr(argv[2], "clock") != NULL;
  const int has_records = strstr(argv[2], "records") != NULL;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET((unsigned)sched_getcpu(), &one);
  sched_setaffinity(0, sizeof one, &one);
  int there[2];
  int back[2];
  if (pipe(there) != 0 || pipe(back) != 0) return 3;
  const pid_t child = fork();
  if (child < 0) return 3;
  // A perf ring is memory that counts against a limit: without it there is nothing to measure.
  if ((has_clock || has_records) && OpenEvent(has_clock, has_records) < 0) {
    perror("perf_event_open");
    return 3;
  }
  char byte = 0;
  for (uint64_t i = 0; i < trips; ++i) {
    if (child == 0) {
      if (read(there[0], &byte, 1) != 1 || write(back[1], &byte, 1) != 1) _exit(3);
    } else if (write(there[1], &byte, 1) != 1 || read(back[0], &byte, 1) != 1) {
      return 3;
    }
  }
  if (child == 0) _exit(0);
  int status = 0;
  if (waitpid(child, &status, 0) != child || status != 0) return 3;
  printf("{\"cpu_ns\": %.0f, \"switches\": %llu}\n", CpuOf(RUSAGE_SELF) + CpuOf(RUSAGE_CHILDREN),
         (unsigned long long)(2 * trips));
  return 0;
}
