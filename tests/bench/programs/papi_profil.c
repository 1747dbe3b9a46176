/// papi_profil STEPS [PERIOD_NS]
///
/// The same work as loop.c under Debian's PAPI_profil on perf::CPU-CLOCK, one
/// 32-bit bucket for every 2 bytes of the program's text. Without a period the work
/// alone, so that the base comes from the same binary.
/// Prints {"cpu_ns": ..., "samples": ...}.
#include <papi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "tests/bench/programs/burn.h"

extern char __executable_start, etext;

enum { kDepth = 22, kScaleOneToOne = 0x10000 };

static void Check(int code, const char* what) {
  if (code == PAPI_OK) return;
  fprintf(stderr, "%s: %s\n", what, PAPI_strerror(code));
  exit(3);
}

struct Profil {
  int set;
  int event;
  unsigned buckets;
  unsigned* counts;
};

static struct Profil Start(uint64_t period_ns) {
  struct Profil p = {PAPI_NULL, 0, 0, NULL};
  if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT) Check(PAPI_EINVAL, "library_init");
  Check(PAPI_event_name_to_code("perf::CPU-CLOCK", &p.event), "name_to_code");
  Check(PAPI_create_eventset(&p.set), "create_eventset");
  Check(PAPI_add_event(p.set, p.event), "add_event");
  p.buckets = (unsigned)(&etext - &__executable_start) / 2 + 1;
  p.counts = calloc(p.buckets, sizeof *p.counts);
  Check(PAPI_profil(p.counts, p.buckets * (unsigned)sizeof *p.counts, &__executable_start,
                    kScaleOneToOne, p.set, p.event, (int)period_ns,
                    PAPI_PROFIL_POSIX | PAPI_PROFIL_BUCKET_32),
        "profil");
  Check(PAPI_start(p.set), "start");
  return p;
}

static uint64_t Stop(struct Profil* p) {
  long long value = 0;
  Check(PAPI_stop(p->set, &value), "stop");
  uint64_t samples = 0;
  for (unsigned i = 0; i < p->buckets; ++i) samples += p->counts[i];
  return samples;
}

int main(int argc, char** argv) {
  if (argc < 2) {
    fprintf(stderr, "usage: %s STEPS [PERIOD_NS]\n", argv[0]);
    return 2;
  }
  const uint64_t steps = NumberOrDie(argv[1]);
  const uint64_t period_ns = argc > 2 ? NumberOrDie(argv[2]) : 0;
  struct Profil p = {PAPI_NULL, 0, 0, NULL};
  if (period_ns > 0) p = Start(period_ns);
  const uint64_t start_ns = CpuNanoseconds(CLOCK_PROCESS_CPUTIME_ID);
  const volatile uint64_t sink = BurnSteps(steps, kDepth);
  (void)sink;
  const uint64_t cpu_ns = CpuNanoseconds(CLOCK_PROCESS_CPUTIME_ID) - start_ns;
  const uint64_t samples = period_ns > 0 ? Stop(&p) : 0;
  printf("{\"cpu_ns\": %llu, \"samples\": %llu}\n", (unsigned long long)cpu_ns,
         (unsigned long long)samples);
  return 0;
}
