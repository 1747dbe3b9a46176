/* PAPI_create_eventset. */
#include "example.h"

int main(void) {
  int EventSet = PAPI_NULL;
  initialize();
  if (PAPI_create_eventset(&EventSet) != PAPI_OK) handle_error(1);

  /* Add Total Instructions Executed to our EventSet */
  if (PAPI_add_event(EventSet, PAPI_TOT_INS) != PAPI_OK) handle_error(1);

  CHECK(PAPI_create_eventset(&EventSet) == PAPI_EINVAL); /* it is not PAPI_NULL any more */
  CHECK(PAPI_create_eventset(NULL) == PAPI_EINVAL);
  return 0;
}
