/* PAPI_set_domain, PAPI_set_granularity.
 * Mended: `EventSet` is declared; the string ends where its line does. */
#include "example.h"

int main(void) {
  int retval, EventSet = PAPI_NULL;

  /* Initialize the library */
  retval = PAPI_library_init(PAPI_VER_CURRENT);

  if (retval > 0 && retval != PAPI_VER_CURRENT) {
    fprintf(stderr, "PAPI library version mismatch!\n");
    exit(1);
  }

  if (retval < 0) handle_error(retval);

  if ((retval = PAPI_set_domain(PAPI_DOM_KERNEL)) != PAPI_OK) handle_error(retval);

  if ((retval = PAPI_create_eventset(&EventSet)) != PAPI_OK) handle_error(retval);

  CHECK(PAPI_get_opt(PAPI_DEFDOM, NULL) == PAPI_DOM_KERNEL);
  CHECK(PAPI_set_granularity(PAPI_GRN_THR) == PAPI_OK);
  return 0;
}
