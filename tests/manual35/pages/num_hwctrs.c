/* PAPI_num_hwctrs. Mended: the string ends where its line does. */
/* prints: [1-9][0-9]* hardware counters found\. */
#include "example.h"

int main(void) {
  CHECK(PAPI_num_hwctrs() == 0);
  initialize();
  /* Query the substrate for our resources. */
  printf("%d hardware counters found.\n", PAPI_num_hwctrs());
  return 0;
}
