// Threads that are cancelled before they run, while they wait and while they compute.
//   thread_cancel COUNT MS
// COUNT of each kind; then one that may not be cancelled burns MS in Worker and prints "thread TID
// CPU_NS". Prints "cancelled N" and "cleaned N". In C: a C++ frame may not be cancelled anywhere.
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>

#include "burn.h"

static sem_t computing;
static int cleaned;
static unsigned long quota_ms;

static void Clean(void* unused) {
  (void)unused;
  __atomic_fetch_add(&cleaned, 1, __ATOMIC_RELAXED);
}

static void* Waits(void* unused) {
  pthread_cleanup_push(Clean, NULL);
  for (;;) pause();
  pthread_cleanup_pop(0);
  return unused;
}

static void* Computes(void* unused) {
  pthread_cleanup_push(Clean, NULL);
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
  sem_post(&computing);
  for (;;) SpinRounds(1000);
  pthread_cleanup_pop(0);
  return unused;
}

__attribute__((noinline)) static void Worker(void) { BurnMs(quota_ms); }

static void* Disabled(void* unused) {
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
  sem_post(&computing);
  const uint64_t begin = ThreadCpuNs();
  Worker();
  printf("thread %d %llu\n", Tid(), (unsigned long long)(ThreadCpuNs() - begin));
  return unused;
}

// 1 when the thread's end was a cancellation.
static int CancelOne(void* (*routine)(void*), int wait) {
  pthread_t t;
  if (pthread_create(&t, NULL, routine, NULL) != 0) abort();
  if (wait) sem_wait(&computing);
  pthread_cancel(t);
  void* result = NULL;
  pthread_join(t, &result);
  return result == PTHREAD_CANCELED;
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const int count = atoi(argv[1]);
  quota_ms = strtoul(argv[2], NULL, 10);
  sem_init(&computing, 0, 0);
  int cancelled = 0;
  for (int i = 0; i < count; ++i) cancelled += CancelOne(Waits, 0) + CancelOne(Computes, 1);
  const int disabled = CancelOne(Disabled, 1);
  printf("cancelled %d\ncleaned %d\n", cancelled, cleaned);
  return disabled;
}
