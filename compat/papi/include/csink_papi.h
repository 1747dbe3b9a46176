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

/* What PAPI_get_opt(PAPI_DEF_ITIMER) puts into PAPI_itimer_option_t::flags. itimer_num and
 * itimer_sig are what the program asked for, and nothing uses them: forced software overflow,
 * profiling and multiplexing tick by a POSIX timer on each thread's own CPU clock, and its signal.
 */
#define CSINK_PAPI_ITIMER_THREAD_CPU 0x100
#define CSINK_PAPI_ITIMER_SIGNAL(flags) ((flags)&0xff)

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

/* Another one: the sentence that explains the last failure of the calling thread. */
#define CSINK_PAPI_LAST_MESSAGE 0x4354

typedef struct csink_papi_last_message {
  char* text; /* where it goes */
  unsigned long size;
} csink_papi_last_message_t;

/* To be asked right after the failure: other calls forget it. `text` gets "" when there is none,
 * and at most `size` bytes with the NUL. Fails: PAPI_EINVAL (another library). */
static inline int csink_papi_last_message(char* text, unsigned long size) {
  union {
    PAPI_option_t option;
    csink_papi_last_message_t message;
  } asked;
  asked.message.text = text;
  asked.message.size = size;
  return PAPI_get_opt(CSINK_PAPI_LAST_MESSAGE, &asked.option);
}

/* Another one: what a native event of perf_event or perf_event_uncore is to the kernel. */
#define CSINK_PAPI_EVENT_ENCODING 0x4356

typedef struct csink_papi_event_encoding {
  int event_code;
  unsigned int type; /* of perf_event_attr, as the next three */
  unsigned long long config;
  unsigned long long config1;
  unsigned long long config2;
} csink_papi_event_encoding_t;

/* Fails: PAPI_ENOEVNT, PAPI_ECMP (an event of another component), PAPI_EATTR (it needs a unit
 * mask), PAPI_EINVAL (another library). */
static inline int csink_papi_event_encoding(int event_code, csink_papi_event_encoding_t* encoding) {
  union {
    PAPI_option_t option;
    csink_papi_event_encoding_t encoding;
  } asked;
  int code;
  asked.encoding.event_code = event_code;
  code = PAPI_get_opt(CSINK_PAPI_EVENT_ENCODING, &asked.option);
  if (code == PAPI_OK) *encoding = asked.encoding;
  return code;
}

/* Another one, without a pointer: 1 when counters of the processor are read without a system call,
 * else 0. PAPI_component_info_t::fast_counter_read says it too, after all events were listed. */
#define CSINK_PAPI_USER_READS 0x4355

#ifdef __cplusplus
}
#endif

#endif
