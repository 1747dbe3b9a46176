// One thread waits for three locks, which another thread holds for known times, and main waits for
// both. Prints how long the waiter was kept from each lock, and the owner's TID.
//   held_locks [MS]       the first lock is held while its owner computes, the others while it sleeps
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define LOCKS 3

pthread_mutex_t first_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t second_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t* heap_lock;
static sem_t go;
static sem_t over;
static unsigned long rounds;
static long long kept_ns[LOCKS];
static long holder_tid;

static long long NowNs(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void SleepMs(long ms) {
  const struct timespec time = {0, ms * 1000000};
  nanosleep(&time, NULL);
}

static void ComputeMs(long ms) {
  const long long end = NowNs() + ms * 1000000LL;
  volatile unsigned work = 0;
  while (NowNs() < end) {
    for (int i = 0; i < 2000; ++i) ++work;
  }
}

__attribute__((noinline)) static void HoldFirst(void) { ComputeMs(5); __asm__ volatile(""); }
__attribute__((noinline)) static void HoldSecond(void) { SleepMs(3); __asm__ volatile(""); }
__attribute__((noinline)) static void HoldHeap(void) { SleepMs(2); __asm__ volatile(""); }

static void* Holder(void* unused) {
  (void)unused;
  holder_tid = syscall(SYS_gettid);
  for (unsigned long i = 0; i < rounds; ++i) {
    for (int lock = 0; lock < LOCKS; ++lock) {
      pthread_mutex_t* const held = lock == 0 ? &first_lock : lock == 1 ? &second_lock : heap_lock;
      pthread_mutex_lock(held);
      sem_post(&go);
      if (lock == 0) HoldFirst();
      if (lock == 1) HoldSecond();
      if (lock == 2) HoldHeap();
      pthread_mutex_unlock(held);
      sem_wait(&over);
    }
  }
  return NULL;
}

// Each wait has a function of its own. The statement behind the call keeps the call from becoming a
// jump.
__attribute__((noinline)) static void WaitFirst(void) {
  pthread_mutex_lock(&first_lock);
  __asm__ volatile("");
}
__attribute__((noinline)) static void WaitSecond(void) {
  pthread_mutex_lock(&second_lock);
  __asm__ volatile("");
}
__attribute__((noinline)) static void WaitHeap(void) {
  pthread_mutex_lock(heap_lock);
  __asm__ volatile("");
}

static void* Waiter(void* unused) {
  (void)unused;
  for (unsigned long i = 0; i < rounds; ++i) {
    for (int lock = 0; lock < LOCKS; ++lock) {
      sem_wait(&go);
      const long long begin = NowNs();
      if (lock == 0) WaitFirst();
      if (lock == 1) WaitSecond();
      if (lock == 2) WaitHeap();
      kept_ns[lock] += NowNs() - begin;
      pthread_mutex_unlock(lock == 0 ? &first_lock : lock == 1 ? &second_lock : heap_lock);
      sem_post(&over);
    }
  }
  return NULL;
}

int main(int argc, char** argv) {
  rounds = (argc > 1 ? strtoul(argv[1], NULL, 10) : 1000) / 10;
  heap_lock = malloc(sizeof *heap_lock);
  pthread_mutex_init(heap_lock, NULL);
  sem_init(&go, 0, 0);
  sem_init(&over, 0, 0);
  pthread_t holder;
  pthread_t waiter;
  if (pthread_create(&holder, NULL, Holder, NULL) != 0) return 1;
  if (pthread_create(&waiter, NULL, Waiter, NULL) != 0) return 1;
  pthread_join(holder, NULL);
  pthread_join(waiter, NULL);
  printf("kept %lld %lld %lld\n", kept_ns[0], kept_ns[1], kept_ns[2]);
  printf("holder %ld\n", holder_tid);
  printf("locks %p %p %p\n", (void*)&first_lock, (void*)&second_lock, (void*)heap_lock);
  free(heap_lock);
  return 0;
}
