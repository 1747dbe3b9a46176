// Burns MS in Work and leaves in one of the ways there are.   exits MODE MS [STATUS|THREADS]
#undef NDEBUG
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "burn.h"

__attribute__((noinline)) void Work(unsigned long ms) { BurnMs(ms); }

static void OnSignal(int unused) {
  (void)unused;
  static const char kText[] = "own handler\n";
  if (write(1, kText, sizeof kText - 1) < 0) _exit(9);
  _exit(5);
}

static void AtExit(void) { printf("atexit ran\n"); }

// Until somebody kills us; the cap is for a test that forgot to.
static void* Forever(void* unused) {
  Work(20000);
  return unused;
}

static void ForeverIn(int threads) {
  for (int i = 1; i < threads; ++i) {
    pthread_t t;
    pthread_create(&t, NULL, Forever, NULL);
  }
  Forever(NULL);
}

// Ends the program while the others burn on.
static void ExitBesideThreads(int threads) {
  for (int i = 0; i < threads; ++i) {
    pthread_t t;
    pthread_create(&t, NULL, Forever, NULL);
  }
  // The reporter is a child of this process, so that wait4(2) adds its CPU time: this work must take much longer.
  Work(600);
  exit(3);
}

// Work done on the way out counts as any other.
static unsigned long late_ms;
__attribute__((noinline)) static void WorkAtExit(void) { BurnMs(late_ms); }
__attribute__((destructor, noinline)) static void WorkInDestructor(void) { BurnMs(late_ms); }

static void Crash(void) {
  static int* volatile nowhere = (int*)(uintptr_t)8;
  *nowhere = 1;
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const char* mode = argv[1];
  const int number = argc > 3 ? atoi(argv[3]) : 3;
  atexit(AtExit);
  if (strcmp(mode, "own_sigint") == 0) signal(SIGINT, OnSignal);
  Work(strtoul(argv[2], NULL, 10));
  if (strcmp(mode, "exit") == 0) exit(number);
  if (strcmp(mode, "_exit") == 0) _exit(number);
  if (strcmp(mode, "_Exit") == 0) _Exit(number);
  if (strcmp(mode, "quick_exit") == 0) quick_exit(number);
  if (strcmp(mode, "exit_group") == 0) syscall(SYS_exit_group, number);
  if (strcmp(mode, "abort") == 0) abort();
  if (strcmp(mode, "assert") == 0) assert(argc == 0);
  if (strcmp(mode, "segv") == 0) Crash();
  if (strcmp(mode, "sigint") == 0) kill(getpid(), SIGINT);
  if (strcmp(mode, "own_sigint") == 0) kill(getpid(), SIGINT);
  if (strcmp(mode, "sigterm") == 0) raise(SIGTERM);
  if (strcmp(mode, "late") == 0) {
    late_ms = 200;
    atexit(WorkAtExit);
  }
  if (strcmp(mode, "busy_exit") == 0) ExitBesideThreads(number);
  if (strcmp(mode, "forever") == 0) ForeverIn(number);
  return number;
}
