/* PAPI_flips, PAPI_flops, PAPI_ipc: pages without an example. The preset file counts nanoseconds of
 * processor time as floating point instructions and operations, and as cycles. */
/* presets: clock */
#include "example.h"

typedef int (*rate_t)(float*, float*, long_long*, float*);

static void twice(rate_t rate, float least, float most) {
  float rtime = -1, ptime = -1, result = -1;
  long_long count = -1;
  long_long first;
  CHECK(rate(&rtime, &ptime, &count, &result) == PAPI_OK);
  your_slow_code();
  CHECK(rate(&rtime, &ptime, &count, &result) == PAPI_OK);
  CHECK(rtime >= 0.029f && ptime >= 0.025f && count >= 25000000);
  CHECK(result >= least && result <= most);
  first = count;
  your_slow_code();
  /* "since the start of the measurement" */
  CHECK(rate(&rtime, &ptime, &count, &result) == PAPI_OK);
  CHECK(rtime >= 0.058f && ptime >= 0.05f && count >= first + 25000000);
  CHECK(result >= least && result <= most);
}

int main(void) {
  float f;
  long_long n;
  twice(PAPI_flips, 500, 1500); /* 1000 million nanoseconds a second */
  CHECK(PAPI_flops(&f, &f, &n, &f) == PAPI_EINVAL);
  CHECK(PAPI_stop_counters(NULL, 0) == PAPI_OK);
  twice(PAPI_flops, 500, 1500);
  CHECK(PAPI_stop_counters(NULL, 0) == PAPI_OK);
  twice(PAPI_ipc, 0.5f, 1.5f);
  CHECK(PAPI_stop_counters(NULL, 0) == PAPI_OK);
  return 0;
}
