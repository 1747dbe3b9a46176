/// thread_churn THREADS plain|open|ring
///
/// Creates and joins threads one after another. `open`: each thread opens and
/// closes a sampling event; `ring`: with a ring of one data page, the least that a
/// sampler without signals needs. Main keeps one event of the kind open meanwhile:
/// the first and the last of a kind patch kernel code, which no thread should pay.
/// Prints {"cpu_ns": ..., "threads": ...}, the CPU time of the whole process.
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "tests/bench/programs/bare_event.h"
#include "tests/bench/programs/burn.h"

static const uint64_t kPeriodNs = 1000003;

struct Task {
  int has_event;
  size_t ring_pages;
};

static void* Body(void* argument) {
  const struct Task* task = argument;
  if (task->has_event) {
    struct BareEvent event = OpenBareEvent(kPeriodNs, task->ring_pages);
    CloseBareEvent(&event);
  }
  return NULL;
}

int main(int argc, char** argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: %s THREADS plain|open|ring\n", argv[0]);
    return 2;
  }
  const uint64_t threads = NumberOrDie(argv[1]);
  struct Task task = {strcmp(argv[2], "plain") != 0, strcmp(argv[2], "ring") == 0 ? 1 : 0};
  struct BareEvent held = {-1, NULL, 0};
  if (task.has_event) held = OpenBareEvent(kPeriodNs, 0);

  const uint64_t start_ns = CpuNanoseconds(CLOCK_PROCESS_CPUTIME_ID);
  for (uint64_t i = 0; i < threads; ++i) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, Body, &task) != 0) return 3;
    pthread_join(thread, NULL);
  }
  const uint64_t cpu_ns = CpuNanoseconds(CLOCK_PROCESS_CPUTIME_ID) - start_ns;
  if (task.has_event) CloseBareEvent(&held);
  printf("{\"cpu_ns\": %llu, \"threads\": %llu}\n", (unsigned long long)cpu_ns,
         (unsigned long long)threads);
  return 0;
}
