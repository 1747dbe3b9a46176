/* The software defined events of the tests: one of each kind that libsde 7.0 knows. */
#ifndef CSINK_TESTS_SDE_EVENTS_H
#define CSINK_TESTS_SDE_EVENTS_H

#include <sde_lib.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  papi_handle_t library;
  long long plain, other, now, writable;
  int small;
  double real;
  long long behind_callback;
  void *created, *second, *recorder, *set;
} sde_events_t;

/* Of library "L": plain other small real now writable callback created second recorder set group.
 */
void sde_events_register(sde_events_t* events);
/* Everything counts `times`: plain by 7, other by 10, small by 1, real by 0.25, now by 2, writable
 * by 1, the callback by 8, created by 3; the recorder records 1 ... times. */
void sde_events_work(sde_events_t* events, int times);

#ifdef __cplusplus
}
#endif
#endif
