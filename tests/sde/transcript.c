/* What a program sees of its software defined events, a line a step. It is built twice, for our
 * libpapi and for PAPI's own: both must print the same. Where the two differ on purpose
 * (docs/components.md) nothing is printed. */
#include <papi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/sde/events.h"

enum { kEvents = 13, kReal = 3, kPointer = 10 };
static const char* const kNames[kEvents] = {
    "plain",   "other",        "small", "real",         "now",          "writable",    "callback",
    "created", "recorder:CNT", "group", "recorder:MIN", "recorder:MED", "recorder:MAX"};

static sde_events_t events;
static int set = PAPI_NULL;

static int SetOf(const char* name) {
  int made = PAPI_NULL;
  PAPI_create_eventset(&made);
  printf("add %s: %d\n", name, PAPI_add_named_event(made, name));
  return made;
}

static void Show(const char* step, int code, const long long* values) {
  int i;
  printf("%s %d:", step, code);
  for (i = 0; i < kEvents; ++i) {
    double real;
    memcpy(&real, &values[i], sizeof real);
    if (i == kReal) {
      printf(" %g", real);
    } else if (i >= kPointer) {
      printf(" *%lld", values[i] ? *(const long long*)values[i] : 0);
    } else {
      printf(" %lld", values[i]);
    }
  }
  printf("\n");
}

static void List(int component) {
  int code = PAPI_NATIVE_MASK;
  int more = PAPI_enum_cmp_event(&code, PAPI_ENUM_FIRST, component);
  for (; more == PAPI_OK; more = PAPI_enum_cmp_event(&code, PAPI_ENUM_EVENTS, component)) {
    char name[PAPI_MAX_STR_LEN];
    PAPI_event_info_t info;
    int mask = code;
    PAPI_event_code_to_name(code, name);
    memset(&info, 0, sizeof info);
    PAPI_get_event_info(code, &info);
    printf("%s | %s | %s | '%s' %d %d %d | masks %d\n", name, info.symbol, info.long_descr,
           info.units, (int)info.data_type, info.location, info.component_index,
           PAPI_enum_cmp_event(&mask, PAPI_NTV_ENUM_UMASKS, component) == PAPI_OK);
  }
}

static void Names(void) {
  static const char* const kTried[] = {
      "L::plain",    "sde::L::plain",  "sde:::L:plain",        "sde:::L",
      "sde:::plain", "sde:::L::plain", "sde:::L::yet to come", "sde:::Later::x"};
  size_t i;
  for (i = 0; i < sizeof kTried / sizeof kTried[0]; ++i) {
    int code = 0;
    const int found = PAPI_event_name_to_code(kTried[i], &code);
    printf("%s: %d, query %d\n", kTried[i], found, PAPI_query_named_event(kTried[i]));
  }
}

static void Count(void) {
  long long values[kEvents] = {0};
  char name[PAPI_MAX_STR_LEN];
  int i, code;
  PAPI_create_eventset(&set);
  for (i = 0; i < kEvents; ++i) {
    snprintf(name, sizeof name, "sde:::L::%s", kNames[i]);
    printf("add %s: %d\n", name, PAPI_add_named_event(set, name));
  }
  printf("again: %d\n", PAPI_add_named_event(set, "sde:::L::plain"));
  sde_events_work(&events, 1);
  code = PAPI_read(set, values);
  Show("before the start", code, values);
  printf("start %d\n", PAPI_start(set));
  for (i = 0; i < 3; ++i) {
    code = PAPI_read(set, values);
    Show("read", code, values);
    sde_events_work(&events, i + 1);
  }
  printf("reset %d\n", PAPI_reset(set));
  sde_events_work(&events, 1);
  code = PAPI_read(set, values);
  Show("after the reset", code, values);
  code = PAPI_stop(set, values);
  Show("stop", code, values);
  sde_events_work(&events, 5);
  code = PAPI_read(set, values);
  Show("stopped", code, values);
  printf("start %d\n", PAPI_start(set));
  sde_events_work(&events, 2);
  code = PAPI_stop(set, values);
  Show("the second run", code, values);
  printf("remove %d\n", PAPI_remove_named_event(set, "sde:::L::now"));
  printf("cleanup %d\n", PAPI_cleanup_eventset(set));
  printf("destroy %d\n", PAPI_destroy_eventset(&set));
}

static void Accumulate(void) {
  const int sum = SetOf("sde:::L::created");
  long long value = 1000, now = 0;
  int i, code = PAPI_start(sum);
  printf("start %d\n", code);
  for (i = 0; i < 3; ++i) {
    sde_events_work(&events, 1);
    code = PAPI_accum(sum, &value);
    printf("accum %d: %lld\n", code, value);
  }
  code = PAPI_stop(sum, &now);
  printf("stop %d: %lld\n", code, now);
}

static void Write(void) {
  const int written = SetOf("sde:::L::now");
  long long value = 1000;
  int code;
  printf("add %d\n", PAPI_add_named_event(written, "sde:::L::writable"));
  printf("start %d\n", PAPI_start(written));
  {
    long long values[2] = {1000, 2000};
    code = PAPI_write(written, values);
    printf("write %d: %lld %lld\n", code, events.now, events.writable);
    events.now += 3, events.writable += 5;
    code = PAPI_read(written, values);
    printf("read %d: %lld", code, values[0]);
    code = PAPI_reset(written);
    events.writable += 6;
    code |= PAPI_stop(written, values);
    printf(" and %d: %lld %lld\n", code, values[0], values[1]);
  }
  {
    const int fixed = SetOf("sde:::L::callback");
    printf("start %d\n", PAPI_start(fixed));
    printf("write a callback: %s\n", PAPI_write(fixed, &value) < 0 ? "refused" : "taken");
    printf("stop %d\n", PAPI_stop(fixed, &value));
  }
}

static void* CountElsewhere(void* unused) {
  long long value = 0;
  const int mine = SetOf("sde:::L::other");
  int code = PAPI_start(mine);
  (void)unused;
  events.other += 5;
  papi_sde_inc_counter(events.created, 4);
  code |= PAPI_stop(mine, &value);
  printf("another thread's set %d: %lld\n", code, value);
  return NULL;
}

static void Threads(void) {
  const int mine = SetOf("sde:::L::created"), second = SetOf("sde:::L::plain");
  long long value = 0;
  pthread_t thread;
  int code = PAPI_start(mine);
  printf("start %d, a second set of this thread %d\n", code, PAPI_start(second));
  pthread_create(&thread, NULL, CountElsewhere, NULL);
  pthread_join(thread, NULL);
  code = PAPI_stop(mine, &value);
  printf("with what another thread counted %d: %lld\n", code, value);
}

static void Later(void) {
  const int later = SetOf("sde:::Later::x");
  static long long x = 4;
  long long value = -5;
  int code = PAPI_start(later);
  printf("start %d\n", code);
  code = PAPI_read(later, &value);
  printf("not there yet %d: %lld\n", code, value);
  papi_sde_register_counter(papi_sde_init("Later"), "x", PAPI_SDE_DELTA, PAPI_SDE_long_long, &x);
  x += 6;
  code = PAPI_stop(later, &value);
  printf("registered meanwhile %d: %lld\n", code, value);
}

static int calls;
static pthread_t counting;

static void OnOverflow(int from, void* address, long long vector, void* context) {
  int place[4], places = 4;
  long long value = -1;
  const int read = PAPI_read(from, &value);
  const int found = PAPI_get_overflow_event_index(from, vector, place, &places);
  ++calls;
  printf(
      "call %d: this set %d, vector %lld, event %d of %d (%d), address %d, context %d, thread %d, "
      "read %d\n",
      calls, from == set, vector, place[0], places, found, address != NULL, context != NULL,
      pthread_equal(pthread_self(), counting) != 0, read);
}

static void Inc(void* counter, int times) {
  while (times-- > 0) papi_sde_inc_counter(counter, 1);
  printf("calls %d\n", calls);
}

static void* IncElsewhere(void* counter) {
  Inc(counter, 40);
  return NULL;
}

static void Overflow(void) {
  long long value = 0;
  int code = 0, state = 0;
  pthread_t thread;
  counting = pthread_self();
  set = SetOf("sde:::L::second");
  PAPI_event_name_to_code("sde:::L::second", &code);
  printf("overflow %d\n", PAPI_overflow(set, code, 10, PAPI_OVERFLOW_HARDWARE, OnOverflow));
  PAPI_state(set, &state);
  printf("state %x\n", state);
  printf("start %d\n", PAPI_start(set));
  Inc(events.second, 9);
  Inc(events.second, 26);
  papi_sde_inc_counter(events.second, 100);
  Inc(events.second, 30);
  papi_sde_inc_counter(events.created, 1000);
  printf("another counter: calls %d\n", calls);
  pthread_create(&thread, NULL, IncElsewhere, events.second);
  pthread_join(thread, NULL);
  code = PAPI_stop(set, &value);
  printf("stop %d: %lld\n", code, value);
  Inc(events.second, 40);
}

static void Fork(void) {
  const int mine = SetOf("sde:::L::created");
  long long value = 0;
  int code = PAPI_start(mine);
  pid_t child;
  papi_sde_inc_counter(events.created, 1);
  fflush(stdout);
  child = fork();
  if (child == 0) {
    const int own = SetOf("sde:::L::other");
    code = PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT ? PAPI_OK : -1;
    papi_sde_inc_counter(events.created, 50);
    (void)own;
    printf("child %d\n", code);
    fflush(stdout);
    _exit(0);
  }
  waitpid(child, NULL, 0);
  papi_sde_inc_counter(events.created, 1);
  code = PAPI_stop(mine, &value);
  printf("parent %d: %lld\n", code, value);
}

int main(void) {
  int component;
  sde_events_register(&events);
  setvbuf(stdout, NULL, _IOLBF, 0);
  if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT) return 1;
  PAPI_thread_init((unsigned long (*)(void))pthread_self);
  component = PAPI_get_component_index("sde");
  {
    const PAPI_component_info_t* info = PAPI_get_component_info(component);
    printf("component %d %s %s: disabled %d '%s', interrupts %d\n", component, info->name,
           info->short_name, info->disabled, info->disabled_reason, info->hardware_intr);
  }
  List(component);
  Names();
  Count();
  Accumulate();
  Write();
  Threads();
  Later();
  Overflow();
  Fork();
  PAPI_shutdown();
  return 0;
}
