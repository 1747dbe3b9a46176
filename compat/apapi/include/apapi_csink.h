#ifndef APAPI_CSINK_H
#define APAPI_CSINK_H

/* Functions of libapapi.so that APAPI's interface does not have. The rules of apapi.h apply. */

#include <sys/types.h>

#include "apapi.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* Index of a component by its name or its short name ("perf_event", "perf"), also if the component
 * is disabled. PAPI_ENOCMP: no such component, or a null pointer. */
int csink_apapi_find_component(const char* name);

/* Makes the counters of `set` count process `pid` and all processes and threads that it starts,
 * instead of the calling thread. Takes effect with the next APAPI_initstart_timer; no timer of the
 * set may be started. If the process has not run yet, it is counted from its first instruction on.
 * PAPI_OK; -1: null pointer; PAPI_ECMP: the component measures the whole machine and cannot be
 * attached, the set is unchanged; other errors of PAPI_attach and PAPI_set_opt(PAPI_INHERIT), such
 * as PAPI_EPERM and PAPI_ESRCH: the set is no longer usable. */
int csink_apapi_follow(struct apapi_eventset* set, pid_t pid);

/* Problems of a timer since its last start. All counts begin at 0. */
struct csink_apapi_health {
  unsigned long long missed;       /* intervals that had ended before the thread woke */
  unsigned long long failed_reads; /* measurements in which an event could not be read */
  int abandoned;                   /* 1: its thread hangs in a read; nothing waits for it */
  int lower_bound;                 /* 1: counts were lost (PAPI_ECLOST), values are lower bounds */
};
int csink_apapi_get_health(const struct apapi_timer* timer, struct csink_apapi_health* health);

/* When an event was measured. An event that cannot be read (a card that falls off the bus) has no
 * measurement, while other events of its set have one; its values are then those of its last one.
 * Times are CLOCK_MONOTONIC_RAW in ns. */
struct csink_apapi_event_times {
  unsigned long long samples; /* measurements with a value of this event */
  unsigned long long failed;  /* measurements without a value of this event */
  int is_current;             /* 1: the last measurement of the set has a value of this event */
  long long interval_ns;      /* between its last two values; 0: there is one at most */
  long long first_time;       /* of its first value */
  long long last_time;        /* of its last value */
  double counted_share;       /* part of the time in which it was counted; below 1: the set has more
                                 events than counters, and the values are scaled by its inverse */
};
/* PAPI_OK; -1: a null pointer, or the set has no such event. */
int csink_apapi_get_event_times(const struct apapi_eventset* set, int event,
                                struct csink_apapi_event_times* times);

/* What the growth of an event lacks since its first measurement. */
struct csink_apapi_event_losses {
  unsigned long long anew; /* how often its counter began anew, or was read again after a reading
                              that could not be */
  long long unknown_ns;    /* the time in which its growth is not known; in no sum, no average */
  double lacks; /* the most that its growth may lack, in raw units; infinite: nothing bounds it */
};
/* PAPI_OK; -1: a null pointer, or the set has no such event. */
int csink_apapi_get_event_losses(const struct apapi_eventset* set, int event,
                                 struct csink_apapi_event_losses* losses);

/* 1 if a thread of any timer hangs in a read, else 0. PAPI_shutdown may then wait for that read:
 * end the program without it (APAPI_destroy does so). Any thread may call it. */
int csink_apapi_any_abandoned(void);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
