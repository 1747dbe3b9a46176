#ifndef APAPI_CSINK_H
#define APAPI_CSINK_H

/* What libapapi.so can do beyond APAPI's interface. Same rules as in apapi.h. */

#include <sys/types.h>

#include "apapi.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* The index of a component by its name or its short name ("perf_event", "perf"), also of a disabled
 * one; PAPI_ENOCMP. */
int csink_apapi_find_component(const char* name);

/* From the next APAPI_initstart_timer on, the counters of `set` count process `pid` and all that it
 * starts, from its first instruction on when it has not run yet, instead of the calling thread.
 * While no timer of the set is started. PAPI_OK; PAPI_ECMP: the component measures the whole
 * machine, there is nothing to follow, and the set is as it was; other errors of PAPI_attach and
 * PAPI_INHERIT (PAPI_EPERM, PAPI_ESRCH ...): the set is not usable any more. */
int csink_apapi_follow(struct apapi_eventset* set, pid_t pid);

/* How a timer fared since its last start. All count from 0; valid in any state. */
struct csink_apapi_health {
  unsigned long long missed;       /* intervals that were over before the thread could wake */
  unsigned long long failed_reads; /* PAPI_read failed: the measurement was left out */
  int abandoned;                   /* 1: its thread hangs in a read and was left behind */
  int lower_bound;                 /* 1: counts were lost (PAPI_ECLOST): a lower bound */
};
int csink_apapi_get_health(const struct apapi_timer* timer, struct csink_apapi_health* health);

/* Whether any timer's thread was left behind in a read. PAPI_shutdown may then wait for that read:
 * end the program without it. */
int csink_apapi_any_abandoned(void);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
