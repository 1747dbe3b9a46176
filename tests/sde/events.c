#include "tests/sde/events.h"

static long long TwiceOf(void* counter) { return *(long long*)counter * 2; }

void sde_events_register(sde_events_t* events) {
  const int delta = PAPI_SDE_RO | PAPI_SDE_DELTA;
  papi_handle_t library = papi_sde_init("L");
  events->library = library;
  events->plain = 100, events->other = 200, events->now = 40, events->writable = 9;
  events->small = 5, events->real = 1.5, events->behind_callback = 21;
  papi_sde_register_counter(library, "plain", delta, PAPI_SDE_long_long, &events->plain);
  papi_sde_register_counter(library, "other", delta, PAPI_SDE_long_long, &events->other);
  papi_sde_register_counter(library, "small", delta, PAPI_SDE_int, &events->small);
  papi_sde_register_counter(library, "real", delta, PAPI_SDE_double, &events->real);
  papi_sde_register_counter(library, "now", PAPI_SDE_RO | PAPI_SDE_INSTANT, PAPI_SDE_long_long,
                            &events->now);
  papi_sde_register_counter(library, "writable", PAPI_SDE_RW | PAPI_SDE_DELTA, PAPI_SDE_long_long,
                            &events->writable);
  papi_sde_register_counter_cb(library, "callback", delta, PAPI_SDE_long_long, TwiceOf,
                               &events->behind_callback);
  papi_sde_create_counter(library, "created", PAPI_SDE_DELTA, &events->created);
  papi_sde_create_counter(library, "second", PAPI_SDE_DELTA, &events->second);
  papi_sde_create_recorder(library, "recorder", sizeof(long long), papi_sde_compare_long_long,
                           &events->recorder);
  papi_sde_create_counting_set(library, "set", &events->set);
  papi_sde_describe_counter(library, "plain", "what plain counts");
  papi_sde_add_counter_to_group(library, "plain", "group", PAPI_SDE_SUM);
  papi_sde_add_counter_to_group(library, "other", "group", PAPI_SDE_SUM);
}

void sde_events_work(sde_events_t* events, int times) {
  long long value;
  events->plain += 7 * times;
  events->other += 10 * times;
  events->small += times;
  events->real += 0.25 * times;
  events->now += 2 * times;
  events->writable += times;
  events->behind_callback += 4 * times;
  papi_sde_inc_counter(events->created, 3 * times);
  for (value = 1; value <= times; ++value) papi_sde_record(events->recorder, sizeof value, &value);
}
