/// waiting_threads lock|sleep THREADS MILLISECONDS
///
/// `lock`: the threads take turns with one mutex, some work with it and some without. `sleep`: they
/// sleep for 10 ms again and again. Prints {"turns": ..., "wall_ns": ...}.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/bench/programs/burn.h"

static pthread_mutex_t g_lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int g_done;
static atomic_ullong g_turns;

static uint64_t NowNs(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void Spin(int steps) {
  for (volatile int i = 0; i < steps; ++i) {
  }
}

static void* TakeTurns(void* unused) {
  (void)unused;
  unsigned long long turns = 0;
  while (!atomic_load_explicit(&g_done, memory_order_relaxed)) {
    pthread_mutex_lock(&g_lock);
    Spin(2000);
    pthread_mutex_unlock(&g_lock);
    Spin(2000);
    ++turns;
  }
  atomic_fetch_add(&g_turns, turns);
  return NULL;
}

static void* Sleep(void* unused) {
  (void)unused;
  const struct timespec pause = {0, 10000000};
  unsigned long long turns = 0;
  while (!atomic_load_explicit(&g_done, memory_order_relaxed)) {
    nanosleep(&pause, NULL);
    ++turns;
  }
  atomic_fetch_add(&g_turns, turns);
  return NULL;
}

int main(int argc, char** argv) {
  if (argc != 4) {
    fprintf(stderr, "usage: %s lock|sleep THREADS MILLISECONDS\n", argv[0]);
    return 2;
  }
  const uint64_t count = NumberOrDie(argv[2]);
  const uint64_t ms = NumberOrDie(argv[3]);
  pthread_t* threads = calloc(count, sizeof *threads);
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 64 * 1024);
  const uint64_t start_ns = NowNs();
  for (uint64_t i = 0; i < count; ++i) {
    void* (*body)(void*) = strcmp(argv[1], "lock") == 0 ? TakeTurns : Sleep;
    if (pthread_create(&threads[i], &small, body, NULL) != 0) return 3;
  }
  const struct timespec run = {(time_t)(ms / 1000), (long)(ms % 1000) * 1000000};
  nanosleep(&run, NULL);
  atomic_store(&g_done, 1);
  for (uint64_t i = 0; i < count; ++i) pthread_join(threads[i], NULL);
  printf("{\"turns\": %llu, \"wall_ns\": %llu}\n", atomic_load(&g_turns),
         (unsigned long long)(NowNs() - start_ns));
  free(threads);
  return 0;
}
