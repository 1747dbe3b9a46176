/* PAPI_add_event, PAPI_add_events.
 * Mended: `native` is an int (PAPI_event_name_to_code takes the address of one); the library is
 * initialized first. PM_CYC, POWER's cycles, is a user event of the preset file here. */
#include "example.h"

int main(void) {
  int EventSet = PAPI_NULL;
  int native = 0x0;

  initialize();
  if (PAPI_create_eventset(&EventSet) != PAPI_OK) handle_error(1);

  /* Add Total Instructions Executed to our EventSet */
  if (PAPI_add_event(EventSet, PAPI_TOT_INS) != PAPI_OK) handle_error(1);

  /* Add native event PM_CYC to EventSet */
  if (PAPI_event_name_to_code("PM_CYC", &native) != PAPI_OK) handle_error(1);
  if (PAPI_add_event(EventSet, native) != PAPI_OK) handle_error(1);

  CHECK(PAPI_num_events(EventSet) == 2);
  {
    /* The second half of the page: a partial success is the number of events that went in. */
    int codes[2] = {PAPI_L1_LDM, PAPI_TLB_SD};
    CHECK(PAPI_add_events(EventSet, codes, 2) == 1);
    CHECK(PAPI_num_events(EventSet) == 3);
  }
  return 0;
}
