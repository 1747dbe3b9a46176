/* PAPI_overflow. */
/* presets: clock */
/* errors: ^Overflow at 0x[0-9a-f]+! bit=0x1 $ */
#include "example.h"

static int calls;

static void handler(int EventSet, void* address, long_long overflow_vector, void* context) {
  (void)EventSet;
  (void)context;
  fprintf(stderr, "Overflow at %p! bit=0x%llx \n", address, overflow_vector);
  ++calls;
}

int main(void) {
  int retval, EventSet;
  initialize();
  EventSet = set_of_tot_ins();
  retval = PAPI_overflow(EventSet, PAPI_TOT_INS, 100000, 0, handler);
  if (retval != PAPI_OK) handle_error(retval);
  if (PAPI_start(EventSet) != PAPI_OK) handle_error(1);
  your_slow_code();
  if (PAPI_stop(EventSet, NULL) != PAPI_OK) handle_error(1);
  CHECK(calls >= 30); /* 30 ms, 0.1 ms a call, less what the handler itself takes */
  return 0;
}
