/* PAPI_remove_event, PAPI_remove_events. */
#include "example.h"

int main(void) {
  int EventSet = PAPI_NULL;
  int code = PAPI_TOT_INS;
  initialize();
  if (PAPI_create_eventset(&EventSet) != PAPI_OK) handle_error(1);

  /* Add Total Instructions Executed to our EventSet */
  if (PAPI_add_event(EventSet, PAPI_TOT_INS) != PAPI_OK) handle_error(1);

  /* Start counting */
  if (PAPI_start(EventSet) != PAPI_OK) handle_error(1);
  CHECK(PAPI_remove_event(EventSet, PAPI_TOT_INS) == PAPI_EISRUN);

  /* Stop counting, ignore values */
  if (PAPI_stop(EventSet, NULL) != PAPI_OK) handle_error(1);

  /* Remove event */
  if (PAPI_remove_event(EventSet, PAPI_TOT_INS) != PAPI_OK) handle_error(1);

  if (PAPI_add_event(EventSet, PAPI_TOT_INS) != PAPI_OK) handle_error(1);
  CHECK(PAPI_remove_events(EventSet, &code, 1) == PAPI_OK);
  CHECK(PAPI_num_events(EventSet) == 0);
  return 0;
}
