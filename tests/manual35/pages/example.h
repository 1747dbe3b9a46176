/* What the examples of PAPI 3.5's manual leave to their reader: the functions that they call, and a
 * way to say that a result is not what the manual promises.
 *
 * Under `-D PAPI_API_35`, or after papi35.h. The driver's preset file counts page faults as
 * PAPI_TOT_INS, so that "100 events" can be made: 100 fresh pages are touched.
 */
#ifndef MANUAL35_EXAMPLE_H
#define MANUAL35_EXAMPLE_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* clock_gettime and mmap in the strict C standards */
#endif
#include <papi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CHECK(condition)                                                      \
  do {                                                                        \
    if (!(condition)) {                                                       \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
      exit(2);                                                                \
    }                                                                         \
  } while (0)

static inline void handle_error(int code) {
  fprintf(stderr, "handle_error(%d): %s\n", code, code < 0 ? PAPI_strerror(code) : "-");
  exit(3);
}

/* Touches fresh pages: as many page faults. */
static inline void touch_pages(int pages) {
  const size_t bytes = (size_t)pages * 4096;
  volatile char* fresh =
      (volatile char*)mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  size_t i;
  if (fresh == (volatile char*)MAP_FAILED) handle_error(4);
  madvise((void*)fresh, bytes, MADV_NOHUGEPAGE);
  for (i = 0; i < bytes; i += 4096) fresh[i] = 1;
  munmap((void*)fresh, bytes);
}

static inline void do_100events(void) { touch_pages(100); }

/* Takes some 30 ms of processor time. */
static inline void your_slow_code(void) {
  struct timespec now;
  volatile double sum = 0;
  long long end;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  end = now.tv_sec * 1000000000LL + now.tv_nsec + 30000000LL;
  do {
    int i;
    for (i = 0; i < 2000; ++i) sum = sum + i;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  } while (now.tv_sec * 1000000000LL + now.tv_nsec < end);
  touch_pages(10);
}

static inline void poorly_tuned_function(void) { your_slow_code(); }

static inline void initialize(void) {
  if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT) handle_error(5);
}

/* An event set with PAPI_TOT_INS in it. */
static inline int set_of_tot_ins(void) {
  int EventSet = PAPI_NULL;
  if (PAPI_create_eventset(&EventSet) != PAPI_OK) handle_error(6);
  if (PAPI_add_event(EventSet, PAPI_TOT_INS) != PAPI_OK) handle_error(7);
  return EventSet;
}

#endif
