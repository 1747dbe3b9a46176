/* encode_file FILE REPLACE: PAPI_encode_events, then how many presets count. */
#include <papi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  int code = (int)PAPI_PRESET_MASK;
  int available = 0;
  int answer;
  if (argc != 3 || PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT) return 2;
  answer = PAPI_encode_events(argv[1], atoi(argv[2]));
  do {
    available += PAPI_query_event(code) == PAPI_OK;
  } while (PAPI_enum_event(&code, PAPI_ENUM_EVENTS) == PAPI_OK);
  printf("%d %d\n", answer, available);
  return 0;
}
