/* PAPI_set_debug. Mended: handle_error() is given a number. */
/* errors: ^PAPI Error: Error Code -11,[^\n]+$ */
#include "example.h"

int main(void) {
  if (PAPI_set_debug(PAPI_VERB_ECONT) != PAPI_OK) handle_error(1);
  initialize();
  CHECK(PAPI_start(1000) == PAPI_ENOEVST);
  CHECK(PAPI_set_debug(PAPI_QUIET) == PAPI_OK);
  CHECK(PAPI_set_debug(17) == PAPI_EINVAL);
  return 0;
}
