#ifndef CSINK_PAPI_H
#define CSINK_PAPI_H

/* Information that this library has beyond PAPI's interface. All functions call PAPI_get_opt with
 * options of our own, so programs that use them link with any libpapi. With PAPI's own library they
 * return PAPI_EINVAL.
 * Threads: any. */

#include "papi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Option of PAPI_get_opt() behind csink_papi_overflow_info(). The numbers of our options lie far
 * above those of PAPI, so that they are unknown to every version of PAPI's library. */
#define CSINK_PAPI_OVERFLOW_INFO 0x4353

/* The flags of PAPI_itimer_option_t that PAPI_get_opt(PAPI_DEF_ITIMER) returns. itimer_num and
 * itimer_sig are the values that the program set, but they are not used: forced software overflow,
 * profiling and multiplexing use a POSIX timer on each thread's CPU clock, whose signal
 * CSINK_PAPI_ITIMER_SIGNAL gives. */
#define CSINK_PAPI_ITIMER_THREAD_CPU 0x100
#define CSINK_PAPI_ITIMER_SIGNAL(flags) ((flags)&0xff)

/* Statistics of the overflows of an event set. */
typedef struct csink_papi_overflow_info {
  int eventset;
  int flags;        /* PAPI_OVERFLOW_FORCE_SW or PAPI_OVERFLOW_HARDWARE; 0: no threshold set */
  long long missed; /* multiples of the threshold that the last call of the handler stood for
                       besides the one that it was made for */
  long long calls;  /* handler calls since the set's events, options or thresholds changed */
  long long missed_by_all; /* the sum of `missed` over those calls */
} csink_papi_overflow_info_t;

/* Stores the statistics of an event set. PAPI_OK; PAPI_ENOEVST; PAPI_ENOINIT; PAPI_EINVAL: another
 * library.
 * Signals: safe, also in the overflow handler of that set. */
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

/* Option of PAPI_get_opt() behind csink_papi_last_message(). */
#define CSINK_PAPI_LAST_MESSAGE 0x4354

/* Argument of CSINK_PAPI_LAST_MESSAGE; it takes the place of a PAPI_option_t. */
typedef struct csink_papi_last_message {
  char* text; /* buffer of the caller */
  unsigned long size;
} csink_papi_last_message_t;

/* Copies the message that explains the last failure of the calling thread: at most `size` bytes
 * including the NUL; "" if there is no message. Call it directly after the failure, because the
 * next call replaces the message. PAPI_OK; PAPI_EINVAL: no buffer, or another library.
 * Signals: safe. */
static inline int csink_papi_last_message(char* text, unsigned long size) {
  union {
    PAPI_option_t option;
    csink_papi_last_message_t message;
  } asked;
  asked.message.text = text;
  asked.message.size = size;
  return PAPI_get_opt(CSINK_PAPI_LAST_MESSAGE, &asked.option);
}

/* Option of PAPI_get_opt() behind csink_papi_event_encoding(). */
#define CSINK_PAPI_EVENT_ENCODING 0x4356

/* Argument and result of CSINK_PAPI_EVENT_ENCODING: event_code is read, the others are stored. */
typedef struct csink_papi_event_encoding {
  int event_code;
  unsigned int type; /* this and the next three: members of perf_event_attr */
  unsigned long long config;
  unsigned long long config1;
  unsigned long long config2;
} csink_papi_event_encoding_t;

/* Stores the kernel's encoding of a native event of perf_event or perf_event_uncore. PAPI_OK;
 * PAPI_ENOEVNT; PAPI_ECMP: an event of another component; PAPI_EATTR: the event needs a unit mask;
 * PAPI_EINVAL: another library.
 * Signals: not safe. */
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

/* Option of PAPI_get_opt() behind csink_papi_event_accumulates(). */
#define CSINK_PAPI_EVENT_ACCUMULATES 0x4358

/* Argument and result of CSINK_PAPI_EVENT_ACCUMULATES: event_code is read, the other is stored. */
typedef struct csink_papi_event_accumulates {
  int event_code;
  int accumulates;
} csink_papi_event_accumulates_t;

/* Stores 1 in *accumulates if the values of a native event of a device or a program grow (energy,
 * work done), 0 if they are momentary (power, a temperature, a limit). PAPI_OK; PAPI_ENOEVNT;
 * PAPI_ECMP: an event of perf_event or perf_event_uncore; PAPI_EINVAL: another library.
 * Signals: not safe. */
static inline int csink_papi_event_accumulates(int event_code, int* accumulates) {
  union {
    PAPI_option_t option;
    csink_papi_event_accumulates_t event;
  } asked;
  int code;
  asked.event.event_code = event_code;
  code = PAPI_get_opt(CSINK_PAPI_EVENT_ACCUMULATES, &asked.option);
  if (code == PAPI_OK) *accumulates = asked.event.accumulates;
  return code;
}

/* Option of PAPI_get_opt() behind csink_papi_read_each(). */
#define CSINK_PAPI_READ_EACH 0x4359

/* Argument of CSINK_PAPI_READ_EACH; it takes the place of a PAPI_option_t. */
typedef struct csink_papi_read_each {
  int eventset;
  long long* values;
  int* codes;
} csink_papi_read_each_t;

/* PAPI_read for sets whose events may fail one by one, such as those of several cards: stores in
 * codes[i] PAPI_OK, or the error because of which values[i] is undefined (PAPI_ECLOST: it is valid,
 * but lacks what the event's counter grew by since its last value). Both arrays have an element for
 * each event of the set. Returns the result of PAPI_read: PAPI_OK if all events were
 * read (PAPI_ECLOST: all, and the values are lower bounds), otherwise the first error. If nothing
 * could be read, all codes are that error. PAPI_EINVAL: a null pointer, or another library.
 * Signals: not safe. */
static inline int csink_papi_read_each(int EventSet, long long* values, int* codes) {
  union {
    PAPI_option_t option;
    csink_papi_read_each_t read;
  } asked;
  asked.read.eventset = EventSet;
  asked.read.values = values;
  asked.read.codes = codes;
  return PAPI_get_opt(CSINK_PAPI_READ_EACH, &asked.option);
}

/* Option of PAPI_get_opt() behind csink_papi_counted_shares(). */
#define CSINK_PAPI_COUNTED_SHARES 0x435a

/* Argument of CSINK_PAPI_COUNTED_SHARES; it takes the place of a PAPI_option_t. */
typedef struct csink_papi_counted_shares {
  int eventset;
  double* shares;
} csink_papi_counted_shares_t;

/* Stores in shares[i] the part of the time, 0 to 1, in which the i-th event of a multiplexed set
 * was really counted until the last read; its value is scaled by the inverse. 1 in sets that are
 * not multiplexed. Events that are computed from several counters have the smallest share of the
 * set. PAPI_OK; PAPI_ENOEVST; PAPI_EINVAL: a null pointer, or another library. Signals: not safe.
 */
static inline int csink_papi_counted_shares(int EventSet, double* shares) {
  union {
    PAPI_option_t option;
    csink_papi_counted_shares_t shares;
  } asked;
  asked.shares.eventset = EventSet;
  asked.shares.shares = shares;
  return PAPI_get_opt(CSINK_PAPI_COUNTED_SHARES, &asked.option);
}

/* Option of PAPI_get_opt() behind csink_papi_lacks(). */
#define CSINK_PAPI_LACKS 0x435b

/* Argument of CSINK_PAPI_LACKS; it takes the place of a PAPI_option_t. */
typedef struct csink_papi_lacks {
  int eventset;
  double* most;
} csink_papi_lacks_t;

/* Stores in most[i] what the i-th event's value may lack since it was zero, at most, in its unit: 0
 * where nothing was lost, infinite where nothing bounds it. A device's counter loses something when
 * it begins anew and when it may have wrapped unseen (PAPI_ECLOST). PAPI_OK; PAPI_ENOEVST;
 * PAPI_EINVAL: a null pointer, or another library. Signals: not safe. */
static inline int csink_papi_lacks(int EventSet, double* most) {
  union {
    PAPI_option_t option;
    csink_papi_lacks_t lacks;
  } asked;
  asked.lacks.eventset = EventSet;
  asked.lacks.most = most;
  return PAPI_get_opt(CSINK_PAPI_LACKS, &asked.option);
}

/* Option of PAPI_get_opt() with a null pointer: 1 if the processor's counters are read without a
 * system call, else 0. PAPI_component_info_t::fast_counter_read has the same value, but listing the
 * component takes longer. */
#define CSINK_PAPI_USER_READS 0x4355

#ifdef __cplusplus
}
#endif

#endif
