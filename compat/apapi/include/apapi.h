#ifndef APAPI_H
#define APAPI_H

/* APAPI 1.0: reads PAPI counters periodically and computes statistics. Names, signatures, values
 * and layouts are those of upstream's interface (2-clause BSD, "APAPI" of the Ampehre project), so
 * that its clients compile and link unchanged. docs/apapi.md lists where the behaviour differs.
 * Results:  functions that return int return PAPI_OK or a negative error, unless stated otherwise.
 * No function ends the program. Messages go to stderr.
 * Threads:  a timer and its event set are used by one thread at a time. What a running timer writes
 * into its event set may be read in the timer's callback, or when the timer is DONE.
 * Signals:  no function is safe in a signal handler. */

#include <papi.h>
#include <pthread.h>
#include <time.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

extern char** environ;

/* The components that APAPI's clients measure by default, NULL-terminated: rapl, nvml, maxeler,
 * ipmi, micknc. */
extern char* APAPI_default_components[];

/* How value1 is computed from value0. s0 and s1 are the previous and the last value0; t0 and t1 are
 * their times in ns. */
enum APAPI_op1 {
  APAPI_OP1_NOP = 0,
  APAPI_OP1_SAMPLE_DIFF = 1,             /* s1 - s0 */
  APAPI_OP1_DIV_DIFF_TIME = 2,           /* s1 / (t1 - t0) */
  APAPI_OP1_SAMPLE1_MUL_DIFF_TIME = 3,   /* s1 * (t1 - t0) */
  APAPI_OP1_AVG_SAMPLE_MUL_DIFF_TIME = 4 /* (s0 + s1) / 2 * (t1 - t0) */
};

/* Bits: the statistics that are computed. */
enum APAPI_stats {
  APAPI_STAT_NO = 0,
  APAPI_STAT_MIN = 1,
  APAPI_STAT_MAX = 2,
  APAPI_STAT_AVG = 4, /* weighted by the length of the interval that the value ends */
  APAPI_STAT_ACC = 8, /* the sum */
  APAPI_STAT_ALL = -1
};

/* Indices into the arrays of statistics. */
enum APAPI_stats_field {
  APAPI_MIN = 0,
  APAPI_MAX = 1,
  APAPI_AVG = 2,
  APAPI_ACC = 3,
  APAPI_FIELDS = 4
};

enum APAPI_timer_state {
  APAPI_TIMER_STATE_READY = 0,
  APAPI_TIMER_STATE_STARTED = 1,
  APAPI_TIMER_STATE_DONE = 2
};

/* How the values of one event are interpreted. An array of these ends with an entry whose
 * event_name is NULL. The strings belong to the text or set that they were read from. */
struct apapi_event_ops {
  char* event_name;
  enum APAPI_op1 op1;
  enum APAPI_stats value0;
  enum APAPI_stats value1;
  long long
      max_sample;    /* largest raw value of an accumulating counter; 0: value0 is the raw value */
  char* value0_type; /* "energy" */
  char* value0_unit; /* "Ws" */
  double value0_prefix; /* divisor: the value in value0_unit is value0 / prefix */
  char* value1_type;
  char* value1_unit;
  double value1_prefix;
  int data_type; /* PAPI_DATATYPE_* */
};

/* The counters of one component and their values. The arrays have num_events elements; arrays of
 * statistics have num_events * APAPI_FIELDS, index event * APAPI_FIELDS + field. Times are
 * CLOCK_MONOTONIC_RAW in ns. The set owns all that it points to. */
struct apapi_eventset {
  int EventSet;         /* PAPI's handle */
  const char* cmp_name; /* PAPI's short name of the component */
  int num_events;
  long long* current_counters; /* raw */
  long long* previous_counters;
  long long* max_counters;    /* max_sample of each event */
  long long* current_samples; /* value0: bits, to be read as data_type */
  long long* previous_samples;
  long long count; /* measurements so far; the first one enters no statistics */
  long long current_time;
  long long previous_time;
  long long first_time;
  long long last_time;
  long double* last_values1; /* value1 of the last measurement, not divided by its prefix */
  long double* values0;      /* statistics of value0, not divided by the prefix */
  long double* values1;
  enum APAPI_op1* values_op1;
  enum APAPI_stats* values0_stats;
  enum APAPI_stats* values1_stats;
  struct apapi_event_ops* event_ops; /* one per event */
};

/* A thread that measures an event set periodically. Only APAPI_create_timer makes valid timers;
 * clients read the fields and do not write them. */
struct apapi_timer {
  enum APAPI_timer_state state;
  pthread_t thread; /* for information: APAPI_join_timer joins the thread */
  struct timespec interval;
  pthread_mutex_t mutex; /* not used; keeps upstream's layout */
  int interrupt;         /* 1: APAPI_interrupt_timer was called */
  void (*measure)(void**, int);
  void** measure_arg;
  struct apapi_eventset* set;
};

/* Calls PAPI_library_init, reads the default files, APAPI_VERBOSE and APAPI_SOFTFAIL. Returns
 * PAPI_VER_CURRENT or -1: PAPI did not start, or (without APAPI_SOFTFAIL) a default file cannot be
 * read. A second call initialises PAPI again. Sets errno to 0 on success. */
int APAPI_init(void);
/* Frees the defaults and calls PAPI_shutdown, except when a timer's thread hangs in a read:
 * PAPI_shutdown would wait for it. */
void APAPI_destroy(void);

/* Makes a PAPI event set of component `cidx` with the events of a NULL-terminated list; the caller
 * destroys it. *num_events is the number of events that were added. -1: a null pointer, the
 * component takes no set, or an event cannot be added; with APAPI_SOFTFAIL such an event is left
 * out with a message. On an error *EventSet and *num_events are unchanged. */
int APAPI_create_eventset_list(char** events, int cidx, int* EventSet, int* num_events);
/* As APAPI_create_eventset_list, with all native events of the component. */
int APAPI_create_eventset_cmp_all(int cidx, int* EventSet, int* num_events);

/* Makes a timer in state READY with an interval of sec seconds and nsec nanoseconds (0 to
 * 999,999,999; together above 0). `measure(arg, last)` is called in the timer's thread after each
 * measurement; `last` is 1 at the final one. `measure` may be NULL. `set` may be NULL: no counters
 * are read, only the callback is called. The set stays the caller's and must outlive the timer. -1:
 * no memory or an invalid interval; *timer is NULL. */
int APAPI_create_timer(struct apapi_timer** timer, time_t sec, long nsec,
                       void (*measure)(void**, int), void** measure_arg,
                       struct apapi_eventset* set);
/* READY only, otherwise -1: changes the parameters. Clears the statistics of the set. */
int APAPI_change_timer(struct apapi_timer* timer, time_t sec, long nsec,
                       void (*measure)(void**, int), void** measure_arg,
                       struct apapi_eventset* set);
/* DONE only, otherwise -1: makes the timer READY again and clears the statistics. `set` NULL keeps
 * the set. */
int APAPI_reset_timer(struct apapi_timer* timer, time_t sec, long nsec,
                      void (*measure)(void**, int), void** measure_arg, struct apapi_eventset* set);
/* READY only: calls PAPI_start on the set. -1, with a message: wrong state, or the events do not
 * start. */
int APAPI_initstart_timer(struct apapi_timer* timer);
/* READY only; the timer becomes STARTED: the thread measures at once, then at each interval. -1,
 * with a message: wrong state, or no thread. */
int APAPI_start_timer(struct apapi_timer* timer);
/* STARTED only, otherwise -1: requests a final measurement and the end of the thread. Does not
 * wait. May be called in the callback. */
int APAPI_callstop_timer(struct apapi_timer* timer);
/* STARTED only; the timer becomes DONE. Waits for the end of the thread, then calls PAPI_stop. If a
 * read does not return within about one interval after callstop, the thread is abandoned: a
 * message, and PAPI_OK with the values measured before. -1: wrong state, or called in the callback.
 */
int APAPI_join_timer(struct apapi_timer* timer);
/* Calls APAPI_callstop_timer, then APAPI_join_timer. */
int APAPI_stop_timer(struct apapi_timer* timer);
/* STARTED only; the timer becomes DONE. Ends the thread without a final measurement, waits for it
 * as APAPI_join_timer does, then calls PAPI_stop. -1: wrong state; or called in the callback: the
 * thread ends after that, and APAPI_join_timer joins it. */
int APAPI_interrupt_timer(struct apapi_timer* timer);
/* In any state: ends the thread without a final measurement, frees the timer and sets *timer to
 * NULL. Always PAPI_OK. */
int APAPI_destroy_timer(struct apapi_timer** timer);

/* Makes an event set of component `cidx` with the events `names`. `names` NULL: the default list of
 * the component, or all its events if there is no list. Each event's operations come from
 * `user_eventops` (may be NULL) or else from the defaults; the strings are copied. An event of the
 * default list that this machine lacks is left out. An event of `names` that cannot be added, or an
 * event without operations, is an error (-1; with APAPI_SOFTFAIL a message). The caller frees *set
 * with APAPI_destroy_apapi_eventset; on an error *set is NULL. */
int APAPI_init_apapi_eventset_cmp(struct apapi_eventset** set, int cidx, char** names,
                                  struct apapi_event_ops* user_eventops);
/* Frees the set and PAPI's event set, and sets *set to NULL. Always PAPI_OK. No timer may still use
 * the set. */
int APAPI_destroy_apapi_eventset(struct apapi_eventset** set);
/* Prints the values and statistics of the set on stdout. */
void APAPI_print_apapi_eventset(struct apapi_eventset* set);
/* Index of the event with exactly this name; -1: none. */
int APAPI_apapi_eventset_find_event(struct apapi_eventset* set, char* event_name);

/* Parses event operations from `input`, in place: the strings of *event_ops point into it. The
 * caller frees *event_ops, then `input`. -1, with a message: a malformed line, or no memory. */
int APAPI_read_event_ops_csv(char* input, char delimiter, struct apapi_event_ops** event_ops,
                             int* num_event_ops);
/* Reads the file that APAPI_EVENTOPS names. -1: not set or malformed; 1: not readable. The caller
 * frees *event_ops, then *buffer. */
int APAPI_read_env_eventops(char** buffer, struct apapi_event_ops** event_ops, int* num_event_ops);
/* Reads the file that APAPI_EVENTLIST names and groups its events by the components `cmp_list`:
 * (*sorted)[i] is the NULL-terminated event list of component (*used_cmp)[i]; components without
 * events are left out. -1: not set or shorter than 5 bytes; 1: not readable. The caller calls
 * APAPI_free_sorted_eventlist, then frees *buffer. */
int APAPI_read_env_eventlist(char** cmp_list, char** buffer, char**** sorted, char*** used_cmp);
void APAPI_free_sorted_eventlist(char*** used_cmp, char**** sorted);
/* Splits APAPI_CMPLIST at ':' into a NULL-terminated list. -1: not set, outputs unchanged. The
 * caller frees *list, then *buffer. */
int APAPI_read_env_cmplist(char** buffer, char*** list);
/* Index of `cmp` in a NULL-terminated list; -1: not in it. */
int APAPI_cmp_cmplist_index(const char* cmp, char** cmp_list);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
