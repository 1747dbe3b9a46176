/* A program that uses libapapi and libpapi as upstream's clients do: system-wide components by their
 * default lists, a timer each, and what they found on stdout. Exit code 0: something was measured. */
#include <apapi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { kMost = 8 };

static int calls;

static void Measured(void** arg, int last) {
  (void)last;
  if (*(int*)arg == 0) ++calls;
}

static int Fail(const char* what) {
  fprintf(stderr, "client: %s\n", what);
  return 1;
}

int main(void) {
  static char names[kMost][16] = {"perf", "load"};
  char* components[] = {names[0], names[1], NULL};
  struct apapi_eventset* sets[kMost] = {NULL};
  struct apapi_timer* timers[kMost] = {NULL};
  int numbers[kMost];
  int used = 0;
  if (APAPI_init() != PAPI_VER_CURRENT) return Fail("APAPI_init");
  for (int c = 0; c < PAPI_num_components() && used < kMost; ++c) {
    const PAPI_component_info_t* info = PAPI_get_component_info(c);
    if (info->disabled || APAPI_cmp_cmplist_index(info->short_name, components) < 0) continue;
    if (APAPI_init_apapi_eventset_cmp(&sets[used], c, NULL, NULL) != PAPI_OK) return Fail("event set");
    numbers[used] = used;
    if (APAPI_create_timer(&timers[used], 0, 5000000, Measured, (void**)&numbers[used], sets[used])) {
      return Fail("timer");
    }
    ++used;
  }
  if (used == 0) return Fail("no component");
  for (int i = 0; i < used; ++i) {
    if (APAPI_initstart_timer(timers[i]) != PAPI_OK) return Fail("APAPI_initstart_timer");
  }
  for (int i = 0; i < used; ++i) {
    if (APAPI_start_timer(timers[i]) != PAPI_OK) return Fail("APAPI_start_timer");
  }
  const clock_t start = clock();
  while (clock() - start < CLOCKS_PER_SEC / 20) {
  }
  for (int i = 0; i < used; ++i) APAPI_callstop_timer(timers[i]);
  for (int i = 0; i < used; ++i) {
    if (APAPI_join_timer(timers[i]) != PAPI_OK) return Fail("APAPI_join_timer");
    APAPI_print_apapi_eventset(sets[i]);
  }
  if (calls < 2 || sets[0]->count != calls) return Fail("the callback was not called each time");
  char clock_name[] = "perf::TASK-CLOCK";
  const int place = APAPI_apapi_eventset_find_event(sets[0], clock_name);
  if (place < 0) return Fail("no event perf::TASK-CLOCK");
  if (sets[0]->current_counters[place] < 20000000) return Fail("this thread's CPU time is missing");
  for (int i = 0; i < used; ++i) {
    APAPI_destroy_timer(&timers[i]);
    APAPI_destroy_apapi_eventset(&sets[i]);
  }
  APAPI_destroy();
  return 0;
}
