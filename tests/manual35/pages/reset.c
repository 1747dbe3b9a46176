/* PAPI_reset, and PAPI_write, whose example is "Yet to be written". */
#include "example.h"

int main(void) {
  int EventSet, code;
  long_long values[1] = {5};
  initialize();
  EventSet = set_of_tot_ins();
  if (PAPI_start(EventSet) != PAPI_OK) handle_error(1);
  do_100events();
  if (PAPI_reset(EventSet) != PAPI_OK) handle_error(1);
  if (PAPI_stop(EventSet, values) != PAPI_OK) handle_error(1);
  CHECK(values[0] >= 0 && values[0] < 100);
  values[0] = 5;
  code = PAPI_write(EventSet, values);
  CHECK(code == PAPI_OK || code == PAPI_ESBSTR); /* "not permitted by all substrates" */
  CHECK(PAPI_write(1000, values) == PAPI_ENOEVST);
  return 0;
}
