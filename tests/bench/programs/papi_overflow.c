/// papi_overflow STEPS [THRESHOLD]
///
/// The same work as loop.c while PAPI_overflow calls a handler that counts at each THRESHOLD ns of
/// perf::TASK-CLOCK. Without a threshold the work alone, so that the base comes from the same
/// binary. Whose libpapi it is, the loader decides.
/// Prints {"cpu_ns": ..., "samples": ...}.
#include <papi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "tests/bench/programs/burn.h"

enum { kDepth = 22 };

static volatile uint64_t calls;

static void Check(int code, const char* what) {
  if (code == PAPI_OK) return;
  fprintf(stderr, "%s: %s\n", what, PAPI_strerror(code));
  exit(3);
}

static void OnOverflow(int set, void* address, long long vector, void* context) {
  (void)set;
  (void)address;
  (void)vector;
  (void)context;
  ++calls;
}

static int Start(uint64_t threshold) {
  int set = PAPI_NULL;
  int event = 0;
  if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT) Check(PAPI_EINVAL, "library_init");
  Check(PAPI_event_name_to_code("perf::TASK-CLOCK", &event), "name_to_code");
  Check(PAPI_create_eventset(&set), "create_eventset");
  Check(PAPI_add_event(set, event), "add_event");
  Check(PAPI_overflow(set, event, (int)threshold, 0, OnOverflow), "overflow");
  Check(PAPI_start(set), "start");
  return set;
}

int main(int argc, char** argv) {
  if (argc < 2) {
    fprintf(stderr, "usage: %s STEPS [THRESHOLD]\n", argv[0]);
    return 2;
  }
  const uint64_t steps = NumberOrDie(argv[1]);
  const uint64_t threshold = argc > 2 ? NumberOrDie(argv[2]) : 0;
  const int set = threshold > 0 ? Start(threshold) : PAPI_NULL;
  const uint64_t start_ns = CpuNanoseconds(CLOCK_PROCESS_CPUTIME_ID);
  const volatile uint64_t sink = BurnSteps(steps, kDepth);
  (void)sink;
  const uint64_t cpu_ns = CpuNanoseconds(CLOCK_PROCESS_CPUTIME_ID) - start_ns;
  long long count = 0;
  if (threshold > 0) Check(PAPI_stop(set, &count), "stop");
  printf("{\"cpu_ns\": %llu, \"samples\": %llu}\n", (unsigned long long)cpu_ns,
         (unsigned long long)calls);
  return 0;
}
