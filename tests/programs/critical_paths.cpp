// Programs whose critical path is known: critical_paths MODE [FUNCTION PERCENT] makes FUNCTION
// really so much shorter. Work is CPU time of the thread, so that a busy machine changes none of
// it. Prints "wall_ns N".
#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <thread>

static long long Clock(clockid_t clock) {
  timespec now = {};
  clock_gettime(clock, &now);
  return 1'000'000'000LL * now.tv_sec + now.tv_nsec;
}

static volatile unsigned long g_sink;
static const char* g_shortened = "";
static double g_percent = 0;

// Inlined, so that the samples are the caller's own.
[[gnu::always_inline]] static inline void Work(const char* function, double ms) {
  if (!strcmp(function, g_shortened)) ms *= 1 - g_percent / 100;
  const long long end = Clock(CLOCK_THREAD_CPUTIME_ID) + static_cast<long long>(ms * 1e6);
  do {
    for (int i = 0; i < 20'000; ++i) g_sink = g_sink + 1;
  } while (Clock(CLOCK_THREAD_CPUTIME_ID) < end);
}

#define WORK(name, ms) \
  [[gnu::noinline]] static void name() { Work(#name, ms); }

// Two threads in turn: nothing of one overlaps the other.
WORK(Produce, 6)
WORK(Consume, 1)
static void Handshake() {
  std::mutex mutex;
  std::condition_variable changed;
  bool full = false;
  constexpr int kRounds = 50;
  std::thread consumer([&] {
    for (int i = 0; i < kRounds; ++i) {
      std::unique_lock lock(mutex);
      changed.wait(lock, [&] { return full; });
      Consume();
      full = false;
      changed.notify_one();
    }
  });
  for (int i = 0; i < kRounds; ++i) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return !full; });
    Produce();
    full = true;
    changed.notify_one();
  }
  consumer.join();
}

// The second thread has most of the CPU time and has ended long before main looks at it.
WORK(Aside, 300)
WORK(Step, 3)
static void OffPath() {
  std::thread other(Aside);
  for (int i = 0; i < 60; ++i) {
    Step();
    usleep(15'000);
  }
  other.join();
}

// Each round takes as long as its longer part.
WORK(Heavy, 6)
WORK(Light, 2)
static void Barrier() {
  static pthread_barrier_t barrier;
  pthread_barrier_init(&barrier, nullptr, 2);
  constexpr int kRounds = 50;
  std::thread other([] {
    for (int i = 0; i < kRounds; ++i) {
      Light();
      pthread_barrier_wait(&barrier);
    }
  });
  for (int i = 0; i < kRounds; ++i) {
    Heavy();
    pthread_barrier_wait(&barrier);
  }
  other.join();
}

// Both threads need the lock for their long part.
WORK(Locked, 4)
WORK(Free, 1)
static void Convoy() {
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  const auto run = [] {
    for (int i = 0; i < 40; ++i) {
      pthread_mutex_lock(&mutex);
      Locked();
      pthread_mutex_unlock(&mutex);
      Free();
    }
  };
  std::thread other(run);
  run();
  other.join();
}

int main(int count, char** words) {
  if (count > 3) {
    g_shortened = words[2];
    g_percent = atof(words[3]);
  }
  const char* mode = count > 1 ? words[1] : "";
  const long long begin = Clock(CLOCK_MONOTONIC);
  if (!strcmp(mode, "handshake")) {
    Handshake();
  } else if (!strcmp(mode, "offpath")) {
    OffPath();
  } else if (!strcmp(mode, "barrier")) {
    Barrier();
  } else if (!strcmp(mode, "convoy")) {
    Convoy();
  } else {
    return 2;
  }
  printf("wall_ns %lld\n", Clock(CLOCK_MONOTONIC) - begin);
  return 0;
}
