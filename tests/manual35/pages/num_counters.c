/* PAPI_num_counters. Mended: the string ends where its line does. */
#include "example.h"

int main(void) {
  int num_hwcntrs;

  /* The installation does not support PAPI */
  if ((num_hwcntrs = PAPI_num_counters()) < 0) handle_error(1);

  /* The installation supports PAPI, but has no counters */
  if ((num_hwcntrs = PAPI_num_counters()) == 0)
    fprintf(stderr, "Info:: This machine does not provide hardware counters.\n");

  CHECK(num_hwcntrs == PAPI_num_hwctrs() && num_hwcntrs > 0);
  CHECK((PAPI_is_initialized() & PAPI_HIGH_LEVEL_INITED) != 0);
  return 0;
}
