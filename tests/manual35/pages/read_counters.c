/* PAPI_read_counters, PAPI_accum_counters, PAPI_start_counters. */
#include "example.h"

int main(void) {
  int Events[1] = {PAPI_TOT_INS};
  long_long values[64] = {0};
  int num_hwcntrs = PAPI_num_counters();
  CHECK(num_hwcntrs >= 1);
  if (num_hwcntrs > 64) num_hwcntrs = 64;
  /* The page of PAPI_start_counters: one event here, for values[0] alone is looked at. */
  /* Start counting events */
  if (PAPI_start_counters(Events, 1) != PAPI_OK) handle_error(1);
  CHECK(PAPI_start_counters(Events, 1) == PAPI_EISRUN);
  /* What is touched once and for all, the pages of code too, is touched now. */
  do_100events();
  if (PAPI_accum_counters(values, num_hwcntrs) != PAPI_OK) handle_error(1);
  if (PAPI_read_counters(values, num_hwcntrs) != PAPI_OK) handle_error(1);

  do_100events();
  if (PAPI_read_counters(values, num_hwcntrs) != PAPI_OK) handle_error(1);
  CHECK(values[0] == 100);
  /* values[0] now equals 100 */
  do_100events();
  if (PAPI_accum_counters(values, num_hwcntrs) != PAPI_OK) handle_error(1);
  CHECK(values[0] == 200);
  /* values[0] now equals 200 */
  values[0] = -100;
  do_100events();
  if (PAPI_accum_counters(values, num_hwcntrs) != PAPI_OK) handle_error(1);
  CHECK(values[0] == 0);
  /* values[0] now equals 0 */
  CHECK(PAPI_stop_counters(values, num_hwcntrs) == PAPI_OK);
  return 0;
}
