/* PAPI_list_events.
 * Mended: the condition of the last call lacks a parenthesis and has a semicolon in its place; a
 * result that is PAPI_OK is no error. */
#include "example.h"

int main(void) {
  int EventCode, EventSet = PAPI_NULL, number;
  int Events[4];
  initialize();
  if (PAPI_create_eventset(&EventSet) != PAPI_OK) exit(1);

  /* Convert an event name to an event code */
  if (PAPI_event_name_to_code("PAPI_TOT_INS", &EventCode) != PAPI_OK) exit(1);

  /* Add Total Instructions Executed to our EventSet */
  if (PAPI_add_event(EventSet, EventCode) != PAPI_OK) exit(1);

  /* Convert a second event name to an event code */
  if (PAPI_event_name_to_code("PAPI_L1_LDM", &EventCode) != PAPI_OK) exit(1);

  /* Add L1 Load Misses to our EventSet */
  if (PAPI_add_event(EventSet, EventCode) != PAPI_OK) exit(1);

  /* List the events in our EventSet */
  number = 4;
  if (PAPI_list_events(EventSet, Events, &number) != PAPI_OK) exit(1);

  if (number != 2) exit(1);
  CHECK(Events[0] == PAPI_TOT_INS && Events[1] == PAPI_L1_LDM);
  number = 1; /* too short: more are there than were stored */
  CHECK(PAPI_list_events(EventSet, Events, &number) == PAPI_OK && number == 2);
  return 0;
}
