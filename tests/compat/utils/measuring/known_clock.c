/* For LD_PRELOAD under a tool that measures libpapi: clocks and costs that are known beforehand, so
 * that what the tool makes of them can be compared number by number.
 *
 *   CSINK_KNOWN_STEPS=7,0,0,3   by how much a clock has moved at each reading of it, over and over
 *   CSINK_KNOWN_COSTS=10,12,15  what each operation (stop, read, read_ts, accum, reset) takes, over
 *                               and over; start takes nothing
 *
 *   CSINK_KNOWN_EVENTS=1        every event can be added, and no preset is found by listing them
 *
 * All clocks are one clock. The operations do nothing else. */
#include <dlfcn.h>
#include <papi.h>
#include <stdlib.h>

enum { kMost = 4096 };

struct sequence {
  long long value[kMost];
  int count;
  int next;
};

static struct sequence g_steps;
static struct sequence g_costs;
static long long g_now = 1000;
static int g_events_known;

static void Fill(struct sequence* sequence, const char* text) {
  while (text && *text && sequence->count < kMost) {
    char* end = NULL;
    sequence->value[sequence->count++] = strtoll(text, &end, 10);
    text = *end == ',' ? end + 1 : NULL;
  }
}

__attribute__((constructor)) static void Begin(void) {
  Fill(&g_steps, getenv("CSINK_KNOWN_STEPS"));
  Fill(&g_costs, getenv("CSINK_KNOWN_COSTS"));
  g_events_known = getenv("CSINK_KNOWN_EVENTS") != NULL;
}

static long long Next(struct sequence* sequence) {
  if (sequence->count == 0) return 0;
  const long long value = sequence->value[sequence->next];
  sequence->next = (sequence->next + 1) % sequence->count;
  return value;
}

static long long Clock(void) { return g_now += Next(&g_steps); }

static int Operation(void) {
  g_now += Next(&g_costs);
  return PAPI_OK;
}

#define EXPORTED __attribute__((visibility("default")))

EXPORTED long long PAPI_get_real_cyc(void) { return Clock(); }
EXPORTED long long PAPI_get_real_usec(void) { return Clock(); }
EXPORTED long long PAPI_get_real_nsec(void) { return Clock(); }
EXPORTED long long PAPI_get_virt_cyc(void) { return Clock(); }
EXPORTED long long PAPI_get_virt_usec(void) { return Clock(); }
EXPORTED long long PAPI_get_virt_nsec(void) { return Clock(); }

EXPORTED int PAPI_start(int EventSet) { return (void)EventSet, PAPI_OK; }
EXPORTED int PAPI_stop(int EventSet, long long* values) {
  return (void)EventSet, (void)values, Operation();
}
EXPORTED int PAPI_read(int EventSet, long long* values) {
  return (void)EventSet, (void)values, Operation();
}
EXPORTED int PAPI_read_ts(int EventSet, long long* values, long long* cycles) {
  (void)EventSet, (void)values;
  Operation();
  *cycles = g_now;
  return PAPI_OK;
}
EXPORTED int PAPI_accum(int EventSet, long long* values) {
  return (void)EventSet, (void)values, Operation();
}
EXPORTED int PAPI_reset(int EventSet) { return (void)EventSet, Operation(); }

EXPORTED int PAPI_add_event(int EventSet, int Event) {
  if (g_events_known) return PAPI_OK;
  return ((int (*)(int, int))dlsym(RTLD_NEXT, "PAPI_add_event"))(EventSet, Event);
}

EXPORTED int PAPI_query_event(int EventCode) {
  if (g_events_known) return PAPI_OK;
  return ((int (*)(int))dlsym(RTLD_NEXT, "PAPI_query_event"))(EventCode);
}

EXPORTED int PAPI_enum_event(int* EventCode, int modifier) {
  if (g_events_known) return PAPI_ENOEVNT;
  return ((int (*)(int*, int))dlsym(RTLD_NEXT, "PAPI_enum_event"))(EventCode, modifier);
}
