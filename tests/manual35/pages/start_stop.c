/* PAPI_start, PAPI_stop. */
/* prints: ^[1-9][0-9]*$ */
#include "example.h"

int main(void) {
  int EventSet = PAPI_NULL;
  long_long values[1];
  initialize();
  if (PAPI_create_eventset(&EventSet) != PAPI_OK) handle_error(1);

  /* Add Total Instructions Executed to our EventSet */
  if (PAPI_add_event(EventSet, PAPI_TOT_INS) != PAPI_OK) handle_error(1);

  /* Start counting */
  if (PAPI_start(EventSet) != PAPI_OK) handle_error(1);

  poorly_tuned_function();

  if (PAPI_stop(EventSet, values) != PAPI_OK) handle_error(1);

  printf("%lld\n", values[0]);
  CHECK(values[0] >= 10); /* the pages that it touches */
  return 0;
}
