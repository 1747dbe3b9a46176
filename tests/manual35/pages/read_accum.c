/* PAPI_read, PAPI_accum.
 * The manual's second accum comes after a PAPI_read, which resets nothing: 100 of the first round
 * are counted again, and what it says of the values needs the counters cleared in between. Mended:
 * a PAPI_reset after the PAPI_read. */
#include "example.h"

int main(void) {
  int EventSet;
  long_long values[1] = {0};
  initialize();
  EventSet = set_of_tot_ins();
  if (PAPI_start(EventSet) != PAPI_OK) handle_error(1);
  /* What is touched once and for all, the pages of code too, is touched now. */
  do_100events();
  if (PAPI_read(EventSet, values) != PAPI_OK) handle_error(1);
  if (PAPI_accum(EventSet, values) != PAPI_OK || PAPI_reset(EventSet) != PAPI_OK) handle_error(1);

  do_100events();
  if (PAPI_read(EventSet, values) != PAPI_OK) handle_error(1);
  CHECK(values[0] == 100);
  /* values[0] now equals 100 */
  if (PAPI_reset(EventSet) != PAPI_OK) handle_error(1);
  do_100events();
  if (PAPI_accum(EventSet, values) != PAPI_OK) handle_error(1);
  CHECK(values[0] == 200);
  /* values[0] now equals 200 */
  values[0] = -100;
  do_100events();
  if (PAPI_accum(EventSet, values) != PAPI_OK) handle_error(1);
  CHECK(values[0] == 0);
  /* values[0] now equals 0 */
  return 0;
}
