/* A program of somebody else's: built against the installed libpapi in each of the documented ways.
 * Prints "counted" when a software event went up. With ERRORS_ONLY it links and asks for a sentence. */
#include <papi.h>
#include <stdio.h>

#ifdef ERRORS_ONLY
static int Count(void) { return PAPI_OK; }
#else
static int Count(void) {
  int set = PAPI_NULL;
  int result = PAPI_library_init(PAPI_VER_CURRENT);
  volatile unsigned spin;
  long long nanoseconds = 0;
  if (result != PAPI_VER_CURRENT) return result < 0 ? result : PAPI_EMISC;
  if ((result = PAPI_create_eventset(&set)) != PAPI_OK) return result;
  if ((result = PAPI_add_named_event(set, "perf::TASK-CLOCK")) != PAPI_OK) return result;
  if ((result = PAPI_start(set)) != PAPI_OK) return result;
  for (spin = 0; spin < 1000000; ++spin) {
  }
  if ((result = PAPI_stop(set, &nanoseconds)) != PAPI_OK) return result;
  if ((result = PAPI_cleanup_eventset(set)) != PAPI_OK) return result;
  if ((result = PAPI_destroy_eventset(&set)) != PAPI_OK) return result;
  PAPI_shutdown();
  return nanoseconds > 0 ? PAPI_OK : PAPI_EMISC;
}
#endif

int main(void) {
  const int result = Count();
  if (result != PAPI_OK || !PAPI_strerror(PAPI_ENOEVST)) {
    printf("failed: %s\n", PAPI_strerror(result));
    return 1;
  }
  printf("counted\n");
  return 0;
}
