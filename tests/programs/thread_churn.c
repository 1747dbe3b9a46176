// Threads that come and go.   thread_churn COUNT US LIVE
// COUNT detached threads in all, each burns US of its CPU time and ends. The main thread creates the next one as
// soon as fewer than LIVE threads are before the end of their routine.
// Prints "threads N", "burned_ns N" (by the threads' own clocks), "most_tasks N" (of the process, as seen after
// each creation) and "wall_ns N".
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "burn.h"

static unsigned long quota_us;
static sem_t places;
static uint64_t burned_ns;
static unsigned ended;

__attribute__((noinline)) void* Churner(void* unused) {
  const uint64_t begin = ThreadCpuNs();
  BurnShortUs(quota_us);
  __atomic_fetch_add(&burned_ns, ThreadCpuNs() - begin, __ATOMIC_RELAXED);
  __atomic_fetch_add(&ended, 1, __ATOMIC_RELEASE);
  sem_post(&places);
  return unused;
}

// The kernel adds the number of tasks to the links of this folder: one system call.
static unsigned long Tasks(void) {
  struct stat folder;
  return stat("/proc/self/task", &folder) == 0 ? (unsigned long)folder.st_nlink - 2 : 0;
}

static uint64_t WallNs(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  const unsigned count = (unsigned)atoi(argv[1]);
  quota_us = strtoul(argv[2], NULL, 10);
  sem_init(&places, 0, (unsigned)atoi(argv[3]));
  pthread_attr_t attr;
  pthread_attr_init(&attr);
  pthread_attr_setstacksize(&attr, 64 << 10);
  pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
  unsigned long most_tasks = 0;
  const uint64_t begin_ns = WallNs();
  for (unsigned i = 0; i < count; ++i) {
    while (sem_wait(&places) != 0) continue;
    pthread_t thread;
    if (pthread_create(&thread, &attr, Churner, NULL) != 0) {
      perror("pthread_create");
      return 3;
    }
    const unsigned long tasks = Tasks();
    if (tasks > most_tasks) most_tasks = tasks;
  }
  // Until all of them are gone: the end of a detached thread is in nobody's join.
  const struct timespec slice = {0, 1000000};
  while (__atomic_load_n(&ended, __ATOMIC_ACQUIRE) != count || Tasks() > 3) nanosleep(&slice, NULL);
  printf("threads %u\nburned_ns %llu\nmost_tasks %lu\nwall_ns %llu\n", ended, (unsigned long long)burned_ns, most_tasks,
         (unsigned long long)(WallNs() - begin_ns));
  return 0;
}
