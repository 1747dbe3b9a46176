/* A program written to the manual of PAPI 3.5, as C and as C++, built against the installed libpapi.
 * Prints "counted" when an event that its preset file has went up. */
#include <papi35.h>
#include <stdio.h>
#include <string.h>

int main(void) {
  int EventSet = PAPI_NULL, code = 0 | PAPI_PRESET_MASK, presets = 0;
  volatile unsigned spin;
  long_long values[1] = {0};
  char error_str[PAPI_MAX_STR_LEN];
  const PAPI_substrate_info_t* sbinfo;
  if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT) return 1;
  if (PAPI_perror(PAPI_ESBSTR, error_str, PAPI_MAX_STR_LEN) != PAPI_OK) return 2;
  if (strcmp(error_str, PAPI_strerror(PAPI_ECMP)) != 0) return 3;
  while (PAPI_enum_event(&code, 1) == PAPI_OK) ++presets;
  if ((sbinfo = PAPI_get_substrate_info()) == NULL || sbinfo->num_preset_events > presets) return 4;
  if (PAPI_create_eventset(&EventSet) != PAPI_OK) return 5;
  if (PAPI_add_event(EventSet, PAPI_TOT_CYC) != PAPI_OK || PAPI_start(EventSet) != PAPI_OK) return 6;
  for (spin = 0; spin < 1000000; ++spin) {
  }
  if (PAPI_stop(EventSet, values) != PAPI_OK || values[0] <= 0) return 7;
  puts("counted");
  return 0;
}
