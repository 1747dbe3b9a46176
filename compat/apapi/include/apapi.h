#ifndef APAPI_H
#define APAPI_H

/* APAPI 1.0: PAPI counters that are read periodically, with statistics. Names, signatures, values
 * and layouts are those of upstream's interface (2-clause BSD, "APAPI" of the Ampehre project), so
 * that its clients compile and link unchanged; docs/apapi.md says where the behaviour is mended.
 *
 * All functions that return int answer PAPI_OK or an error below zero, unless said otherwise. None
 * ends the program. They are not safe in signal handlers.
 * A timer and its event set are used from one thread at a time; what a running timer writes into
 * its event set is read from the timer's own callback, or once the timer is done. */

#include <papi.h>
#include <pthread.h>
#include <time.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

extern char** environ;

/* NULL-terminated: rapl, nvml, maxeler, ipmi, micknc. */
extern char* APAPI_default_components[];

/* How value1 comes from value0: s0 and s1 are the last two values, t0 and t1 their times in ns. */
enum APAPI_op1 {
  APAPI_OP1_NOP = 0,
  APAPI_OP1_SAMPLE_DIFF = 1,             /* s1 - s0 */
  APAPI_OP1_DIV_DIFF_TIME = 2,           /* s1 / (t1 - t0) */
  APAPI_OP1_SAMPLE1_MUL_DIFF_TIME = 3,   /* s1 * (t1 - t0) */
  APAPI_OP1_AVG_SAMPLE_MUL_DIFF_TIME = 4 /* (s0 + s1) / 2 * (t1 - t0) */
};

/* Bits: which statistics are wanted. */
enum APAPI_stats {
  APAPI_STAT_NO = 0,
  APAPI_STAT_MIN = 1,
  APAPI_STAT_MAX = 2,
  APAPI_STAT_AVG = 4, /* each value weighs as long as the interval that it ends */
  APAPI_STAT_ACC = 8, /* the sum */
  APAPI_STAT_ALL = -1
};

/* Places in the arrays of statistics. */
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

/* What is done with the values of one event. An array of these ends with an event_name of NULL. */
struct apapi_event_ops {
  char* event_name;
  enum APAPI_op1 op1;
  enum APAPI_stats value0;
  enum APAPI_stats value1;
  long long
      max_sample;    /* largest raw value of an accumulating counter; 0: value0 is the raw value */
  char* value0_type; /* "energy" */
  char* value0_unit; /* "Ws" */
  double value0_prefix; /* divisor: what is shown is value / prefix */
  char* value1_type;
  char* value1_unit;
  double value1_prefix;
  int data_type; /* PAPI_DATATYPE_* */
};

/* Counters of one component and what was found. Arrays have num_events entries, statistics
 * num_events * APAPI_FIELDS: [event * APAPI_FIELDS + field]. Times are CLOCK_MONOTONIC_RAW, ns. */
struct apapi_eventset {
  int EventSet;         /* PAPI's handle */
  const char* cmp_name; /* PAPI's short name of the component */
  int num_events;
  long long* current_counters; /* raw */
  long long* previous_counters;
  long long* max_counters;    /* max_sample of each event */
  long long* current_samples; /* value0: the bits of data_type */
  long long* previous_samples;
  long long count; /* measurements so far; the first one is in no statistics */
  long long current_time;
  long long previous_time;
  long long first_time;
  long long last_time;
  long double* last_values1; /* value1 of the last measurement, undivided */
  long double* values0;      /* statistics of value0, undivided */
  long double* values1;
  enum APAPI_op1* values_op1;
  enum APAPI_stats* values0_stats;
  enum APAPI_stats* values1_stats;
  struct apapi_event_ops* event_ops; /* one per event */
};

/* One thread that measures an event set again and again. Made by APAPI_create_timer only. */
struct apapi_timer {
  enum APAPI_timer_state state;
  pthread_t thread; /* ended threads and abandoned ones are not to be joined by others */
  struct timespec interval;
  pthread_mutex_t mutex; /* not used; keeps its place */
  int interrupt;         /* 1: destroyed without a last measurement */
  void (*measure)(void**, int);
  void** measure_arg;
  struct apapi_eventset* set;
};

/* PAPI_library_init, the default files, APAPI_VERBOSE and APAPI_SOFTFAIL. PAPI_VER_CURRENT or -1.
 * A second call initialises PAPI again. Sets errno to 0. */
int APAPI_init(void);
/* Forgets the defaults; PAPI_shutdown. */
void APAPI_destroy(void);

/* A PAPI event set of component `cidx` with the events of a NULL-terminated list. num_events counts
 * those that could be added. The first that cannot be added is an error; with APAPI_SOFTFAIL it is
 * left out with a message. */
int APAPI_create_eventset_list(char** events, int cidx, int* EventSet, int* num_events);
/* The same with all native events of the component; with APAPI_SOFTFAIL without those that fail. */
int APAPI_create_eventset_cmp_all(int cidx, int* EventSet, int* num_events);

/* A timer in state READY. `measure(arg, last)` is called in the timer's thread after each
 * measurement, `last` 1 at the final one. `set` NULL: only the callback. -1: no memory, no thread,
 * a bad interval (not above 0, or nsec outside of a second). */
int APAPI_create_timer(struct apapi_timer** timer, time_t sec, long nsec,
                       void (*measure)(void**, int), void** measure_arg,
                       struct apapi_eventset* set);
/* READY only: other parameters; statistics of the set begin anew. */
int APAPI_change_timer(struct apapi_timer* timer, time_t sec, long nsec,
                       void (*measure)(void**, int), void** measure_arg,
                       struct apapi_eventset* set);
/* DONE only: READY again; statistics begin anew. `set` NULL keeps the old one. */
int APAPI_reset_timer(struct apapi_timer* timer, time_t sec, long nsec,
                      void (*measure)(void**, int), void** measure_arg, struct apapi_eventset* set);
/* READY only: PAPI_start on the set. */
int APAPI_initstart_timer(struct apapi_timer* timer);
/* READY only; -> STARTED: a measurement at once, then one each interval. */
int APAPI_start_timer(struct apapi_timer* timer);
/* STARTED only: asks for the final measurement and the end; does not wait. */
int APAPI_callstop_timer(struct apapi_timer* timer);
/* STARTED only; -> DONE. Waits for the end, and PAPI_stop. A thread whose read has not come back
 * one interval after callstop is left behind: a message, and PAPI_OK with what was measured before.
 */
int APAPI_join_timer(struct apapi_timer* timer);
/* callstop and join. */
int APAPI_stop_timer(struct apapi_timer* timer);
/* STARTED only: asks for the end without a final measurement. */
int APAPI_interrupt_timer(struct apapi_timer* timer);
/* In any state: ends the thread at once, without a final measurement. The pointer becomes NULL; 0.
 */
int APAPI_destroy_timer(struct apapi_timer** timer);

/* The events `names` (NULL: the component's default list, all its events when it has none) with the
 * operations of `user_eventops` first, of the defaults then. An event of the default list that this
 * machine lacks is left out; one of `names` is an error, with APAPI_SOFTFAIL a message. */
int APAPI_init_apapi_eventset_cmp(struct apapi_eventset** set, int cidx, char** names,
                                  struct apapi_event_ops* user_eventops);
/* Frees it and PAPI's event set; the pointer becomes NULL; 0. No timer may use it any more. */
int APAPI_destroy_apapi_eventset(struct apapi_eventset** set);
/* On stdout. */
void APAPI_print_apapi_eventset(struct apapi_eventset* set);
/* Place of an event by its exact name; -1: none. */
int APAPI_apapi_eventset_find_event(struct apapi_eventset* set, char* event_name);

/* Parses `input` in place: the strings of `event_ops` (to be freed) point into it. */
int APAPI_read_event_ops_csv(char* input, char delimiter, struct apapi_event_ops** event_ops,
                             int* num_event_ops);
/* The file APAPI_EVENTOPS. -1: unset or malformed; 1: unreadable. Free the list, then the buffer.
 */
int APAPI_read_env_eventops(char** buffer, struct apapi_event_ops** event_ops, int* num_event_ops);
/* The file APAPI_EVENTLIST, by component: sorted[i] is the NULL-terminated list of used_cmp[i], in
 * the order of cmp_list. -1: unset or too short; 1: unreadable. Free with
 * APAPI_free_sorted_eventlist, then the buffer. */
int APAPI_read_env_eventlist(char** cmp_list, char** buffer, char**** sorted, char*** used_cmp);
void APAPI_free_sorted_eventlist(char*** used_cmp, char**** sorted);
/* APAPI_CMPLIST, NULL-terminated. -1: unset, outputs untouched. Free the list, then the buffer. */
int APAPI_read_env_cmplist(char** buffer, char*** list);
/* Place in a NULL-terminated list; -1: none. */
int APAPI_cmp_cmplist_index(const char* cmp, char** cmp_list);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
