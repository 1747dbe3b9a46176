/* PAPI_get_real_cyc, PAPI_get_real_usec. */
/* prints: Wallclock cycles: [1-9] */
#include "example.h"

int main(void) {
  long_long s, e, us;
  initialize();
  us = PAPI_get_real_usec();
  s = PAPI_get_real_cyc();
  your_slow_code();
  e = PAPI_get_real_cyc();
  printf("Wallclock cycles: %lld\n", e - s);
  CHECK(e > s && PAPI_get_real_usec() - us >= 29000);
  return 0;
}
