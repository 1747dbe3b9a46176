/* PAPI_get_virt_cyc, PAPI_get_virt_usec. */
/* prints: Process has run for cycles: [1-9] */
#include "example.h"

int main(void) {
  long_long s, e, us;
  initialize();
  us = PAPI_get_virt_usec();
  s = PAPI_get_virt_cyc();
  your_slow_code();
  e = PAPI_get_virt_cyc();
  printf("Process has run for cycles: %lld\n", e - s);
  CHECK(e > s && PAPI_get_virt_usec() - us >= 29000);
  return 0;
}
