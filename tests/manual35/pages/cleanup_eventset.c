/* PAPI_cleanup_eventset, PAPI_destroy_eventset. */
#include "example.h"

int main(void) {
  int EventSet;
  initialize();
  EventSet = set_of_tot_ins();

  CHECK(PAPI_destroy_eventset(&EventSet) == PAPI_EINVAL);
  /* Remove all events in the eventset */
  if (PAPI_cleanup_eventset(EventSet) != PAPI_OK) handle_error(1);

  /* Free all memory and data structures, EventSet must be empty. */
  if (PAPI_destroy_eventset(&EventSet) != PAPI_OK) handle_error(1);
  CHECK(EventSet == PAPI_NULL);
  return 0;
}
