/* PAPI_state. */
/* prints: State is now 1\n */
/* prints: State is now 2\n */
#include "example.h"

int main(void) {
  int EventSet = PAPI_NULL;
  int status = 0;
  initialize();
  if (PAPI_create_eventset(&EventSet) != PAPI_OK) handle_error(1);

  /* Add Total Instructions Executed to our EventSet */
  if (PAPI_add_event(EventSet, PAPI_TOT_INS) != PAPI_OK) handle_error(1);

  /* Start counting */
  if (PAPI_state(EventSet, &status) != PAPI_OK) handle_error(1);
  printf("State is now %d\n", status);
  CHECK(status & PAPI_STOPPED);

  if (PAPI_start(EventSet) != PAPI_OK) handle_error(1);

  if (PAPI_state(EventSet, &status) != PAPI_OK) handle_error(1);
  printf("State is now %d\n", status);
  CHECK(status & PAPI_RUNNING);
  /* "reserved for future use" */
  CHECK((status & (PAPI_ACCUMULATING | PAPI_HWPROFILING)) == 0);
  return 0;
}
