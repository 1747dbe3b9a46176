// What a measurement of libapapi's costs, beside a loop that does nothing but wake up as often.
//   interval_apapi MILLISECONDS TURNS    a line a turn: "bare NS" and "apapi NS", CPU time of the
//                                        process for each wake-up; which is first changes. Then
//                                        "apapi_follow NS": counters of a program that computes
#include <apapi.h>
#include <apapi_csink.h>

#include "interval.h"

static double BareTurn(long wakeups) {
  const double start = ProcessCpuNs();
  struct timespec at;
  clock_gettime(CLOCK_MONOTONIC, &at);
  for (long i = 0; i < wakeups; ++i) {
    at.tv_nsec += INTERVAL_NS;
    if (at.tv_nsec >= 1000000000L) {
      at.tv_nsec -= 1000000000L;
      ++at.tv_sec;
    }
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
  }
  return (ProcessCpuNs() - start) / (double)wakeups;
}

static double ApapiTurn(struct apapi_timer* timer, struct apapi_eventset* set, long wakeups) {
  const double start = ProcessCpuNs();
  NeedOk(APAPI_initstart_timer(timer), "APAPI_initstart_timer");
  NeedOk(APAPI_start_timer(timer), "APAPI_start_timer");
  const struct timespec whole = {wakeups / 1000, wakeups % 1000 * INTERVAL_NS};
  nanosleep(&whole, NULL);
  NeedOk(APAPI_stop_timer(timer), "APAPI_stop_timer");
  const double cpu = (ProcessCpuNs() - start) / (double)set->count;
  NeedOk(APAPI_reset_timer(timer, 0, INTERVAL_NS, NULL, NULL, set), "APAPI_reset_timer");
  return cpu;
}

struct Measured {
  struct apapi_eventset* set;
  struct apapi_timer* timer;
};

// Counters of this thread, or of `program` and all that it starts.
static struct Measured Measure(pid_t program) {
  struct Measured made = {NULL, NULL};
  char* names[COUNTERS + 1] = {NULL};
  for (int i = 0; i < COUNTERS; ++i) names[i] = (char*)kCounters[i];
  NeedOk(APAPI_init_apapi_eventset_cmp(&made.set, 0, names, NULL), "APAPI_init_apapi_eventset_cmp");
  if (program > 0) NeedOk(csink_apapi_follow(made.set, program), "csink_apapi_follow");
  NeedOk(APAPI_create_timer(&made.timer, 0, INTERVAL_NS, NULL, NULL, made.set), "APAPI_create_timer");
  return made;
}

static void End(struct Measured* made) {
  APAPI_destroy_timer(&made->timer);
  APAPI_destroy_apapi_eventset(&made->set);
}

int main(int argc, char** argv) {
  const long wakeups = argc > 1 ? atol(argv[1]) : 1000;
  const int turns = argc > 2 ? atoi(argv[2]) : 5;
  if (APAPI_init() != PAPI_VER_CURRENT) return 1;
  struct Measured own = Measure(0);
  for (int turn = 0; turn < turns; ++turn) {
    double bare = turn % 2 ? 0 : BareTurn(wakeups);
    const double apapi = ApapiTurn(own.timer, own.set, wakeups);
    if (turn % 2) bare = BareTurn(wakeups);
    printf("bare %.1f\napapi %.1f\n", bare, apapi);
  }
  End(&own);
  const pid_t program = StartProgram();
  struct Measured followed = Measure(program);
  for (int turn = 0; turn < turns; ++turn) {
    printf("apapi_follow %.1f\n", ApapiTurn(followed.timer, followed.set, wakeups));
  }
  End(&followed);
  EndProgram(program);
  return 0;
}
