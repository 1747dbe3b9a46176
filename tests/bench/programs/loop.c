/// loop STEPS [irq PERIOD_NS | ring PERIOD_NS | block]
///
/// A fixed amount of work, 22 calls deep. `irq` opens a bare event without a ring,
/// `ring` one with a ring that nobody drains, `block` blocks every signal first.
/// Prints {"cpu_ns": ..., "samples": ...}; samples is 0 without an event of its own.
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "tests/bench/programs/bare_event.h"
#include "tests/bench/programs/burn.h"

enum { kDepth = 22, kRingPages = 128 };

int main(int argc, char** argv) {
  if (argc < 2) {
    fprintf(stderr, "usage: %s STEPS [irq PERIOD_NS | ring PERIOD_NS | block]\n", argv[0]);
    return 2;
  }
  const uint64_t steps = NumberOrDie(argv[1]);
  const char* mode = argc > 2 ? argv[2] : "plain";
  const int has_event = strcmp(mode, "irq") == 0 || strcmp(mode, "ring") == 0;
  const uint64_t period_ns = has_event && argc > 3 ? NumberOrDie(argv[3]) : 1000003;

  if (strcmp(mode, "block") == 0) {
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
  }
  struct BareEvent event = {-1, NULL, 0};
  if (has_event) event = OpenBareEvent(period_ns, strcmp(mode, "ring") == 0 ? kRingPages : 0);

  const uint64_t start_ns = CpuNanoseconds(CLOCK_PROCESS_CPUTIME_ID);
  const volatile uint64_t sink = BurnSteps(steps, kDepth);
  (void)sink;
  const uint64_t cpu_ns = CpuNanoseconds(CLOCK_PROCESS_CPUTIME_ID) - start_ns;
  const uint64_t samples = has_event ? BareEventSamples(&event, period_ns) : 0;
  if (has_event) CloseBareEvent(&event);
  printf("{\"cpu_ns\": %llu, \"samples\": %llu}\n", (unsigned long long)cpu_ns,
         (unsigned long long)samples);
  return 0;
}
