// Unwinds its own stack by libunwind from a SIGPROF timer, as many profilers do.
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>

// The part of libunwind's interface that is needed, without its header.
#define UNW_LOCAL_ONLY
#include <libunwind.h>

static volatile sig_atomic_t g_ticks, g_deep;

static void OnTick(int signal) {
  (void)signal;
  unw_context_t context;
  unw_cursor_t cursor;
  unw_getcontext(&context);
  unw_init_local(&cursor, &context);
  int depth = 0;
  while (depth < 50 && unw_step(&cursor) > 0) ++depth;
  ++g_ticks;
  if (depth >= 3) ++g_deep;
}

__attribute__((noinline)) static unsigned long Spin(unsigned long x) {
  for (unsigned long i = 0; i < 400000000; ++i) {
    x = x * 6364136223846793005u + 1442695040888963407u;
    __asm__ volatile("" : "+r"(x));
  }
  return x;
}

int main(void) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = OnTick;
  action.sa_flags = SA_RESTART;
  sigaction(SIGPROF, &action, NULL);
  const struct itimerval every = {{0, 10000}, {0, 10000}};
  setitimer(ITIMER_PROF, &every, NULL);
  const unsigned long x = Spin(1);
  const struct itimerval off = {{0, 0}, {0, 0}};
  setitimer(ITIMER_PROF, &off, NULL);
  printf("x %lu ticks %d deep %d\n", x, g_ticks > 10, g_deep == g_ticks);
  return 0;
}
