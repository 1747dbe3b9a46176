/* PAPI_get_overflow_event_index.
 * Mended: `total` is static, so that it counts; the string of the first printf ends; "0" stands for
 * "\n" in it. */
/* presets: clock */
/* prints: Overflow #[0-9]+ */
/* prints: Event index\[0\] = 0 */
#include "example.h"

static int calls;

static void handler(int EventSet, void* address, long_long overflow_vector, void* context) {
  int Events[4], number, i;
  static int total = 0;
  int retval;
  (void)context;
  printf("Overflow #%d\n Handler(%d) Overflow at %p! vector=0x%llx\n", total, EventSet, address,
         overflow_vector);
  total++;
  number = 4;
  retval = PAPI_get_overflow_event_index(EventSet, overflow_vector, Events, &number);
  if (retval == PAPI_OK)
    for (i = 0; i < number; i++) printf("Event index[%d] = %d", i, Events[i]);
  CHECK(retval == PAPI_OK && number == 1);
  calls = total;
}

int main(void) {
  int EventSet;
  initialize();
  EventSet = set_of_tot_ins();
  if (PAPI_overflow(EventSet, PAPI_TOT_INS, 5000000, 0, handler) != PAPI_OK) handle_error(1);
  if (PAPI_start(EventSet) != PAPI_OK) handle_error(1);
  your_slow_code();
  if (PAPI_stop(EventSet, NULL) != PAPI_OK) handle_error(1);
  CHECK(calls >= 2 && calls <= 30); /* 30 ms of processor time, 5 ms a call */
  return 0;
}
