// Waits whose number, objects and wakers are known, for the test of CSINK_CRITICAL. Each mode
// prints the tids and what the test compares: "name value". Threads hold and wait so long that a
// busy machine does not change who waits.
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <atomic>

static pthread_mutex_t g_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t g_condition = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t g_barrier;
static sem_t g_semaphore;
static std::atomic<int> g_ready{0};
static int g_rounds;

static long Tid() { return syscall(SYS_gettid); }
static void Say(const char* name, long long value) { printf("%s %lld\n", name, value); }
static void Say(const char* name, const void* value) { Say(name, (long long)(uintptr_t)value); }

static double Now() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}
// Runs without a call that waits.
__attribute__((noinline)) static void Burn(double seconds) {
  const double end = Now() + seconds;
  while (Now() < end) {
  }
}

// Waits until the thread sleeps in the kernel, by its state in /proc: 'S'.
static void UntilAsleep(long tid) {
  char path[64];
  snprintf(path, sizeof path, "/proc/self/task/%ld/stat", tid);
  for (;;) {
    char text[512] = "";
    FILE* file = fopen(path, "r");
    if (file) {
      if (fread(text, 1, sizeof text - 1, file) == 0) text[0] = 0;
      fclose(file);
    }
    const char* state = strrchr(text, ')');
    if (state && state[1] && state[2] == 'S') return;
    Burn(0.001);
  }
}

static std::atomic<long> g_tid{0};

// main holds the mutex each round until the other thread sleeps for it.
static std::atomic<int> g_held{0};
static void* Convoy(void*) {
  g_tid = Tid();
  for (int i = 1; i <= g_rounds; ++i) {
    while (g_held.load() < i) Burn(0.0001);
    pthread_mutex_lock(&g_mutex);
    pthread_mutex_unlock(&g_mutex);
    g_ready = i;
  }
  return nullptr;
}
static void RunConvoy() {
  pthread_t thread;
  // Uncontended: nothing of these is recorded.
  for (int i = 0; i < 100000; ++i) {
    pthread_mutex_lock(&g_mutex);
    pthread_mutex_unlock(&g_mutex);
  }
  pthread_create(&thread, nullptr, Convoy, nullptr);
  while (g_tid == 0) Burn(0.0001);
  for (int i = 1; i <= g_rounds; ++i) {
    pthread_mutex_lock(&g_mutex);
    g_held = i;
    UntilAsleep(g_tid);
    Burn(0.003);
    pthread_mutex_unlock(&g_mutex);
    while (g_ready.load() < i) Burn(0.0001);
  }
  pthread_join(thread, nullptr);
  Say("waiter", g_tid.load());
  Say("object", &g_mutex);
}

// main signals once the other thread sleeps.
static int g_turn = 0;
static void* Handshake(void*) {
  g_tid = Tid();
  pthread_mutex_lock(&g_mutex);
  for (int i = 1; i <= g_rounds; ++i) {
    while (g_turn < i) pthread_cond_wait(&g_condition, &g_mutex);
    g_ready = i;
  }
  pthread_mutex_unlock(&g_mutex);
  return nullptr;
}
static void RunHandshake() {
  pthread_t thread;
  // Nobody waits.
  for (int i = 0; i < 1000; ++i) pthread_cond_signal(&g_condition);
  pthread_create(&thread, nullptr, Handshake, nullptr);
  while (g_tid == 0) Burn(0.0001);
  for (int i = 1; i <= g_rounds; ++i) {
    UntilAsleep(g_tid);
    Burn(0.003);
    pthread_mutex_lock(&g_mutex);
    g_turn = i;
    if (i % 2) {
      pthread_cond_signal(&g_condition);
    } else {
      pthread_cond_broadcast(&g_condition);
    }
    pthread_mutex_unlock(&g_mutex);
    while (g_ready.load() < i) Burn(0.0001);
  }
  pthread_join(thread, nullptr);
  Say("waiter", g_tid.load());
  Say("object", &g_condition);
}

static void* AtBarrier(void*) {
  g_tid = Tid();
  for (int i = 0; i < g_rounds; ++i) pthread_barrier_wait(&g_barrier);
  return nullptr;
}
static void RunBarrier() {
  pthread_t thread;
  pthread_barrier_init(&g_barrier, nullptr, 2);
  pthread_create(&thread, nullptr, AtBarrier, nullptr);
  for (int i = 0; i < g_rounds; ++i) {
    Burn(0.005);
    pthread_barrier_wait(&g_barrier);
  }
  pthread_join(thread, nullptr);
  Say("waiter", g_tid.load());
  Say("object", &g_barrier);
}

static void* Ends(void* seconds) {
  g_tid = Tid();
  Burn(*(double*)seconds);
  return nullptr;
}
static void RunJoin() {
  pthread_t thread;
  double seconds = 0.05;
  pthread_create(&thread, nullptr, Ends, &seconds);
  Say("object", (long long)thread);
  pthread_join(thread, nullptr);
  Say("waiter", Tid());
  Say("ended", g_tid.load());
}

static void* AtSemaphore(void*) {
  g_tid = Tid();
  for (int i = 1; i <= g_rounds; ++i) {
    while (sem_wait(&g_semaphore) != 0) {
    }
    g_ready = i;
  }
  return nullptr;
}
static void RunSemaphore() {
  pthread_t thread;
  sem_init(&g_semaphore, 0, 0);
  // Nobody waits.
  for (int i = 0; i < 1000; ++i) {
    sem_post(&g_semaphore);
    sem_wait(&g_semaphore);
  }
  pthread_create(&thread, nullptr, AtSemaphore, nullptr);
  while (g_tid == 0) Burn(0.0001);
  for (int i = 1; i <= g_rounds; ++i) {
    UntilAsleep(g_tid);
    Burn(0.003);
    sem_post(&g_semaphore);
    while (g_ready.load() < i) Burn(0.0001);
  }
  pthread_join(thread, nullptr);
  Say("waiter", g_tid.load());
  Say("object", &g_semaphore);
}

// A thread is cancelled in pthread_cond_wait, and one leaves sem_wait by a jump out of a handler.
static void UnlockMutex(void* mutex) { pthread_mutex_unlock((pthread_mutex_t*)mutex); }
static void* Cancelled(void*) {
  g_tid = Tid();
  pthread_mutex_lock(&g_mutex);
  pthread_cleanup_push(UnlockMutex, &g_mutex);
  for (;;) pthread_cond_wait(&g_condition, &g_mutex);
  pthread_cleanup_pop(1);
  return nullptr;
}
static thread_local sigjmp_buf t_jump;
static void Jump(int) { siglongjmp(t_jump, 1); }
static void* Jumps(void*) {
  g_tid = Tid();
  if (sigsetjmp(t_jump, 1) == 0) sem_wait(&g_semaphore);
  usleep(2000);
  return nullptr;
}
static void RunLeft() {
  pthread_t thread;
  void* result = nullptr;
  pthread_create(&thread, nullptr, Cancelled, nullptr);
  while (g_tid == 0) Burn(0.0001);
  UntilAsleep(g_tid);
  Burn(0.005);
  pthread_cancel(thread);
  pthread_join(thread, &result);
  Say("cancelled", result == PTHREAD_CANCELED ? g_tid.load() : -1);
  Say("condition", &g_condition);
  // The mutex is free again.
  Say("free", pthread_mutex_trylock(&g_mutex) == 0 ? 1 : 0);
  struct sigaction action = {};
  action.sa_handler = Jump;
  sigaction(SIGUSR1, &action, nullptr);
  sem_init(&g_semaphore, 0, 0);
  g_tid = 0;
  pthread_create(&thread, nullptr, Jumps, nullptr);
  while (g_tid == 0) Burn(0.0001);
  UntilAsleep(g_tid);
  Burn(0.005);
  pthread_kill(thread, SIGUSR1);
  pthread_join(thread, nullptr);
  Say("jumped", g_tid.load());
  Say("semaphore", &g_semaphore);
}

// The child waits on its own, and the parent waits for the child.
static void RunFork() {
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    usleep(20000);
    Burn(0.02);
    _exit(0);
  }
  int status = 0;
  const pid_t ended = waitpid(child, &status, 0);
  Say("child", ended == child && WIFEXITED(status) ? child : -1);
}

int main(int argc, char** argv) {
  const char* mode = argc > 1 ? argv[1] : "";
  g_rounds = argc > 2 ? atoi(argv[2]) : 20;
  Say("main", Tid());
  if (!strcmp(mode, "convoy"))
    RunConvoy();
  else if (!strcmp(mode, "handshake"))
    RunHandshake();
  else if (!strcmp(mode, "barrier"))
    RunBarrier();
  else if (!strcmp(mode, "join"))
    RunJoin();
  else if (!strcmp(mode, "semaphore"))
    RunSemaphore();
  else if (!strcmp(mode, "left"))
    RunLeft();
  else if (!strcmp(mode, "fork"))
    RunFork();
  else if (!strcmp(mode, "pairs")) {
    // For counting instructions of an uncontended lock and unlock.
    for (int i = 0; i < g_rounds; ++i) {
      pthread_mutex_lock(&g_mutex);
      pthread_mutex_unlock(&g_mutex);
    }
  } else {
    return 2;
  }
  return 0;
}
