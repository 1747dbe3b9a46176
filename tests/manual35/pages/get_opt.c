/* PAPI_get_opt, PAPI_set_opt.
 * Mended: `num` is declared, handle_error() is given a number, and the string ends where its line
 * does. PAPI_DOM_ALL holds modes that a kernel may not have; those are left out by the library. */
/* prints: This machine has [1-9][0-9]* counters\. */
#include "example.h"

int main(void) {
  int num, EventSet;
  PAPI_option_t options;
  initialize();
  EventSet = set_of_tot_ins();

  if ((num = PAPI_get_opt(PAPI_MAX_HWCTRS, NULL)) <= 0) handle_error(num);

  printf("This machine has %d counters.\n", num);

  /* Set the domain of this EventSet
     to counter user and kernel modes for this
     process */
  memset(&options, 0x0, sizeof(options));
  options.domain.eventset = EventSet;
  options.domain.domain = PAPI_DOM_ALL;
  if (PAPI_set_opt(PAPI_DOMAIN, &options) != PAPI_OK) handle_error(1);

  options.domain.domain = 0;
  CHECK(PAPI_get_opt(PAPI_DOMAIN, &options) == PAPI_OK && options.domain.domain == PAPI_DOM_ALL);
  return 0;
}
