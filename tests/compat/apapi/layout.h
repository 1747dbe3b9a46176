/* The layouts of apapi.h as upstream's clients were compiled with, in C and in C++: measured on
 * x86-64, where a mutex has 40 bytes. Where it has more, what follows it in apapi_timer moves by
 * that. */
#pragma once

#include <assert.h>
#include <stddef.h>

#include "compat/apapi/include/apapi.h"
#include "compat/apapi/include/apapi_csink.h"

#define AT(type, member, offset) \
  static_assert(offsetof(struct type, member) == (offset), #type "." #member)

static_assert(sizeof(struct apapi_event_ops) == 88, "apapi_event_ops");
AT(apapi_event_ops, event_name, 0);
AT(apapi_event_ops, op1, 8);
AT(apapi_event_ops, value0, 12);
AT(apapi_event_ops, value1, 16);
AT(apapi_event_ops, max_sample, 24);
AT(apapi_event_ops, value0_type, 32);
AT(apapi_event_ops, value0_unit, 40);
AT(apapi_event_ops, value0_prefix, 48);
AT(apapi_event_ops, value1_type, 56);
AT(apapi_event_ops, value1_unit, 64);
AT(apapi_event_ops, value1_prefix, 72);
AT(apapi_event_ops, data_type, 80);

static_assert(sizeof(struct apapi_eventset) == 160, "apapi_eventset");
AT(apapi_eventset, EventSet, 0);
AT(apapi_eventset, cmp_name, 8);
AT(apapi_eventset, num_events, 16);
AT(apapi_eventset, current_counters, 24);
AT(apapi_eventset, previous_counters, 32);
AT(apapi_eventset, max_counters, 40);
AT(apapi_eventset, current_samples, 48);
AT(apapi_eventset, previous_samples, 56);
AT(apapi_eventset, count, 64);
AT(apapi_eventset, current_time, 72);
AT(apapi_eventset, previous_time, 80);
AT(apapi_eventset, first_time, 88);
AT(apapi_eventset, last_time, 96);
AT(apapi_eventset, last_values1, 104);
AT(apapi_eventset, values0, 112);
AT(apapi_eventset, values1, 120);
AT(apapi_eventset, values_op1, 128);
AT(apapi_eventset, values0_stats, 136);
AT(apapi_eventset, values1_stats, 144);
AT(apapi_eventset, event_ops, 152);

#define AFTER_MUTEX(offset) ((offset) + sizeof(pthread_mutex_t) - 40)
static_assert(sizeof(struct apapi_timer) == AFTER_MUTEX(104), "apapi_timer");
AT(apapi_timer, state, 0);
AT(apapi_timer, thread, 8);
AT(apapi_timer, interval, 16);
AT(apapi_timer, mutex, 32);
AT(apapi_timer, interrupt, AFTER_MUTEX(72));
AT(apapi_timer, measure, AFTER_MUTEX(80));
AT(apapi_timer, measure_arg, AFTER_MUTEX(88));
AT(apapi_timer, set, AFTER_MUTEX(96));

static_assert(sizeof(long double) == 16, "long double");
static_assert(APAPI_STAT_ALL == -1 && APAPI_FIELDS == 4, "values");
