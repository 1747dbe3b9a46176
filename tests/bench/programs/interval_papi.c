// The plain way to read counters periodically: a loop of nanosleep and PAPI_read. The caller's
// LD_LIBRARY_PATH decides whose libpapi it is.
//   interval_papi MILLISECONDS TURNS    a line a turn: "plain NS", CPU time of the process for each
//   read;
//                                       then "plain_follow NS": of a program that computes, where
//                                       the library inherits and attaches (Debian's: with a PMU
//                                       alone)
#include <papi.h>

#include "interval.h"

// PAPI_NULL: this library does not follow programs here.
static int MakeSet(pid_t program) {
  int set = PAPI_NULL;
  PAPI_option_t inherit;
  NeedOk(PAPI_create_eventset(&set), "PAPI_create_eventset");
  NeedOk(PAPI_assign_eventset_component(set, 0), "PAPI_assign_eventset_component");
  if (program > 0) {
    inherit.inherit.eventset = set;
    inherit.inherit.inherit = PAPI_INHERIT_ALL;
    if (PAPI_set_opt(PAPI_INHERIT, &inherit) != PAPI_OK) return PAPI_NULL;
    NeedOk(PAPI_attach(set, (unsigned long)program), "PAPI_attach");
  }
  for (int i = 0; i < COUNTERS; ++i) {
    NeedOk(PAPI_add_named_event(set, (char*)kCounters[i]), kCounters[i]);
  }
  return set;
}

static double Turn(int set, long wakeups) {
  long long values[COUNTERS];
  const double start = ProcessCpuNs();
  NeedOk(PAPI_start(set), "PAPI_start");
  for (long i = 0; i < wakeups; ++i) {
    const struct timespec interval = {0, INTERVAL_NS};
    nanosleep(&interval, NULL);
    NeedOk(PAPI_read(set, values), "PAPI_read");
  }
  NeedOk(PAPI_stop(set, values), "PAPI_stop");
  return (ProcessCpuNs() - start) / (double)wakeups;
}

int main(int argc, char** argv) {
  const long wakeups = argc > 1 ? atol(argv[1]) : 1000;
  const int turns = argc > 2 ? atoi(argv[2]) : 5;
  if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT) return 1;
  int set = MakeSet(0);
  for (int turn = 0; turn < turns; ++turn) printf("plain %.1f\n", Turn(set, wakeups));
  const pid_t program = StartProgram();
  set = MakeSet(program);
  for (int turn = 0; set != PAPI_NULL && turn < turns; ++turn)
    printf("plain_follow %.1f\n", Turn(set, wakeups));
  EndProgram(program);
  return 0;
}
