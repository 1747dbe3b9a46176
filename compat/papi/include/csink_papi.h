#ifndef CSINK_PAPI_H
#define CSINK_PAPI_H

/* What this library can say beyond PAPI's interface. It goes through PAPI's own functions, so that
 * programs that use it link with any libpapi. */

#include "papi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An option of PAPI_get_opt(); PAPI's own library answers PAPI_EINVAL. */
#define CSINK_PAPI_OVERFLOW_INFO 0x4353

/* How the overflows of an event set fared. */
typedef struct csink_papi_overflow_info {
  int eventset;
  int flags;        /* PAPI_OVERFLOW_FORCE_SW or PAPI_OVERFLOW_HARDWARE; 0: none is armed */
  long long missed; /* multiples of the threshold that the last call of the handler stood for
                       besides the one that it was made for */
  long long calls;  /* of the handler, since the set's events, options or thresholds changed */
  long long missed_by_all; /* the sum of `missed` over those calls */
} csink_papi_overflow_info_t;

/* Fails: PAPI_ENOEVST, PAPI_ENOINIT, PAPI_EINVAL (another library). Signals: safe, also in the
 * handler of that set. */
static inline int csink_papi_overflow_info(int EventSet, csink_papi_overflow_info_t* info) {
  union {
    PAPI_option_t option;
    csink_papi_overflow_info_t info;
  } asked;
  int code;
  asked.info.eventset = EventSet;
  code = PAPI_get_opt(CSINK_PAPI_OVERFLOW_INFO, &asked.option);
  if (code == PAPI_OK) *info = asked.info;
  return code;
}

#ifdef __cplusplus
}
#endif

#endif
