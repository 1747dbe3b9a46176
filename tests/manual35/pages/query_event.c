/* PAPI_query_event. */
#include "example.h"

int main(void) {
  int retval;

  /* Initialize the library */
  retval = PAPI_library_init(PAPI_VER_CURRENT);
  if (retval != PAPI_VER_CURRENT) {
    fprintf(stderr, "PAPI library init error!\n");
    exit(1);
  }

  if (PAPI_query_event(PAPI_TOT_INS) != PAPI_OK) {
    fprintf(stderr, "No instruction counter? How lame.\n");
    exit(1);
  }
  CHECK(PAPI_query_event(PAPI_TLB_SD) == PAPI_ENOEVNT); /* not in the preset file */
  return 0;
}
