// A library whose constructor makes a thread: preloaded, its code may run before the agent's.
// The thread waits until the program calls EarlyGo, burns 300 ms in EarlyWork and prints "thread TID CPU_NS"; EarlyWait
// waits for it.
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

#include "burn.h"

static pthread_t early;
static sem_t go;

__attribute__((noinline)) void EarlyWork(void) { BurnMs(300); }

static void* Run(void* unused) {
  sem_wait(&go);
  const uint64_t begin = ThreadCpuNs();
  EarlyWork();
  printf("thread %d %llu\n", Tid(), (unsigned long long)(ThreadCpuNs() - begin));
  fflush(stdout);
  return unused;
}

__attribute__((visibility("default"))) void EarlyGo(void) { sem_post(&go); }

__attribute__((constructor)) static void Begin(void) {
  sem_init(&go, 0, 0);
  pthread_create(&early, NULL, Run, NULL);
}
__attribute__((visibility("default"))) void EarlyWait(void) { pthread_join(early, NULL); }
