// A loop without system calls (but for the look at the clock every 0.3 ms).
//   loop plain MS | loop blocked MS | loop threads MS N | loop threads_blocked MS N
// Prints "thread TID CPU_NS" for each thread that burned.
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "burn.h"

static unsigned long quota_ms;

__attribute__((noinline)) static void* Loop(void* unused) {
  (void)unused;
  const uint64_t begin = ThreadCpuNs();
  BurnMs(quota_ms);
  printf("thread %d %llu\n", Tid(), (unsigned long long)(ThreadCpuNs() - begin));
  return NULL;
}

static void BlockAllSignals(void) {
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, NULL);
}

static void* BlockedLoop(void* unused) {
  BlockAllSignals();
  return Loop(unused);
}

static void RunThreads(int count, void* (*routine)(void*)) {
  pthread_t threads[64];
  for (int i = 0; i < count; ++i) pthread_create(&threads[i], NULL, routine, NULL);
  for (int i = 0; i < count; ++i) pthread_join(threads[i], NULL);
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const char* mode = argv[1];
  quota_ms = strtoul(argv[2], NULL, 10);
  const int count = argc > 3 ? atoi(argv[3]) : 4;
  if (strcmp(mode, "plain") == 0) Loop(NULL);
  if (strcmp(mode, "blocked") == 0) BlockedLoop(NULL);
  if (strcmp(mode, "threads") == 0) RunThreads(count, Loop);
  if (strcmp(mode, "threads_blocked") == 0) RunThreads(count, BlockedLoop);
  return 0;
}
