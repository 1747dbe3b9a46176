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
  unsigned long long failed_reads; /* measurements left out because PAPI_read failed */
  int abandoned;                   /* 1: its thread hangs in a read; nothing waits for it */
  int lower_bound;                 /* 1: counts were lost (PAPI_ECLOST), values are lower bounds */
};
int csink_apapi_get_health(const struct apapi_timer* timer, struct csink_apapi_health* health);

/* 1 if a thread of any timer hangs in a read, else 0. PAPI_shutdown may then wait for that read:
 * end the program without it (APAPI_destroy does so). Any thread may call it. */
int csink_apapi_any_abandoned(void);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
