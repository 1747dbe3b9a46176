/* PAPI_event_code_to_name, PAPI_event_name_to_code. */
#include "example.h"

int main(void) {
  int EventCode, EventSet = PAPI_NULL;
  char EventCodeStr[PAPI_MAX_STR_LEN];
  char EventDescr[PAPI_MAX_STR_LEN];
  char EventLabel[20];
  initialize();

  /* Convert to integer */
  if (PAPI_event_name_to_code("PAPI_TOT_INS", &EventCode) != PAPI_OK) handle_error(1);

  /* Create the EventSet */
  if (PAPI_create_eventset(&EventSet) != PAPI_OK) handle_error(1);

  /* Add Total Instructions Executed to our EventSet */
  if (PAPI_add_event(EventSet, EventCode) != PAPI_OK) handle_error(1);

  CHECK(EventCode == PAPI_TOT_INS);
  CHECK(PAPI_event_code_to_name(EventCode, EventCodeStr) == PAPI_OK);
  CHECK(strcmp(EventCodeStr, "PAPI_TOT_INS") == 0);
  (void)EventDescr;
  (void)EventLabel;
  return 0;
}
