/* PAPI_get_multiplex, PAPI_set_multiplex, PAPI_multiplex_init.
 * Mended: semicolons after two of the printf lines, a closing quotation mark, and the ends of lines,
 * which the manual prints as "0". */
/* prints: not enabled for multiplexing */
/* prints: already has multiplexing enabled */
#include "example.h"

static void look(int EventSet) {
  int retval = PAPI_get_multiplex(EventSet);
  if (retval > 0) printf("This event set is ready for multiplexing\n");
  if (retval == 0) printf("This event set is not enabled for multiplexing\n");
  if (retval < 0) handle_error(retval);
}

static void convert(int EventSet) {
  int retval = PAPI_set_multiplex(EventSet);
  if ((retval == PAPI_EINVAL) && (PAPI_get_multiplex(EventSet) > 0))
    printf("This event set already has multiplexing enabled\n");
  else if (retval != PAPI_OK)
    handle_error(retval);
}

int main(void) {
  int retval, EventSet;
  initialize();
  retval = PAPI_multiplex_init();
  CHECK(retval == PAPI_OK);
  EventSet = set_of_tot_ins();
  look(EventSet);
  convert(EventSet);
  look(EventSet);
  convert(EventSet);
  CHECK(PAPI_get_multiplex(EventSet) > 0);
  return 0;
}
