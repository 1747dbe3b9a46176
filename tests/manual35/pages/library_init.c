/* PAPI_library_init, PAPI_is_initialized. */
#include "example.h"

int main(void) {
  int retval;
  CHECK(PAPI_is_initialized() == PAPI_NOT_INITED);

  /* Initialize the library */
  retval = PAPI_library_init(PAPI_VER_CURRENT);

  if (retval != PAPI_VER_CURRENT && retval > 0) {
    fprintf(stderr, "PAPI library version mismatch!\n");
    exit(1);
  }

  if (retval < 0) handle_error(retval);

  retval = PAPI_is_initialized();

  if (retval != PAPI_LOW_LEVEL_INITED) handle_error(retval);
  return 0;
}
