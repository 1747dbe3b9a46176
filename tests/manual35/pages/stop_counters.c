/* PAPI_stop_counters. */
#include "example.h"

int main(void) {
  int Events[2] = {PAPI_TOT_CYC, PAPI_TOT_INS};
  long_long values[2];

  /* Start counting events */
  if (PAPI_start_counters(Events, 2) != PAPI_OK) handle_error(1);

  your_slow_code();

  /* Stop counting events */
  if (PAPI_stop_counters(values, 2) != PAPI_OK) handle_error(1);

  CHECK(values[0] >= 25000000 && values[1] >= 10); /* ns of processor time, pages */
  CHECK(PAPI_stop_counters(values, 2) == PAPI_ENOTRUN);
  return 0;
}
