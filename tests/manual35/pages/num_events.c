/* PAPI_num_events. Mended: the string ends where its line does. */
/* prints: 1 events found in EventSet\. */
#include "example.h"

int main(void) {
  int EventSet;
  initialize();
  EventSet = set_of_tot_ins();
  /* Count the events in our EventSet */
  printf("%d events found in EventSet.\n", PAPI_num_events(EventSet));
  return 0;
}
