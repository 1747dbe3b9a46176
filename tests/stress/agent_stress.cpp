// The agent under stress, inside a program that is built with a sanitizer: the agent's objects are
// linked into it, not preloaded, so that the sanitizer's run-time comes first.   agent_stress MODE
//   threads  threads come and go while others burn
//   forks    children of a process with threads, each with threads of its own
//   signals  masks, handlers and waits around the drain signal, and one thread alone
//   exits    the end of the process while others burn, begin and end
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "tests/programs/burn.h"

namespace {

std::atomic<bool> stop{false};

void* Burn(void*) {
  while (!stop.load(std::memory_order_relaxed)) BurnMs(1);
  return nullptr;
}
void* Short(void* us) {
  BurnShortUs(static_cast<unsigned long>(reinterpret_cast<std::uintptr_t>(us)));
  return nullptr;
}
void* Leave(void* us) {
  Short(us);
  pthread_exit(nullptr);
}

void Batch(int threads, unsigned long us) {
  pthread_t all[32];
  for (int i = 0; i < threads; ++i) {
    pthread_create(&all[i], nullptr, i % 2 ? Short : Leave,
                   reinterpret_cast<void*>(static_cast<std::uintptr_t>(us * (i % 3 + 1))));
  }
  for (int i = 0; i < threads; ++i) pthread_join(all[i], nullptr);
}

struct Busy {
  pthread_t threads[3];
  Busy() {
    for (pthread_t& t : threads) pthread_create(&t, nullptr, Burn, nullptr);
  }
  void Join() {
    stop = true;
    for (const pthread_t t : threads) pthread_join(t, nullptr);
  }
};

int Threads() {
  Busy busy;
  for (int round = 0; round < 60; ++round) Batch(16, 200);
  busy.Join();
  return 0;
}

int Forks() {
  int wrong = 0;
  Busy busy;
  for (int round = 0; round < 10; ++round) {
    const pid_t child = fork();
    if (child == 0) {
      BurnMs(20);
      _exit(round);
    }
    Batch(4, 500);
    int status = -1;
    waitpid(child, &status, 0);
    wrong += status != round << 8;
  }
  busy.Join();
  return wrong;
}

std::atomic<int> caught{0};
void Count(int) { caught.fetch_add(1, std::memory_order_relaxed); }

void* MaskAndWait(void*) {
  sigset_t all;
  sigset_t old;
  siginfo_t info;
  const timespec now = {0, 0};
  sigfillset(&all);
  for (int i = 0; i < 50; ++i) {
    pthread_sigmask(SIG_SETMASK, &all, &old);
    BurnShortUs(300);
    while (sigtimedwait(&all, &info, &now) > 0) {
    }
    pthread_sigmask(SIG_SETMASK, &old, nullptr);
    struct sigaction action = {};
    action.sa_handler = i % 2 ? SIG_DFL : Count;
    sigaction(i % 3 ? SIGTERM : SIGINT, &action, nullptr);
  }
  return nullptr;
}

int Signals() {
  BurnMs(250);  // alone: drained by the signal
  Busy busy;
  pthread_t masks[3];
  for (pthread_t& t : masks) pthread_create(&t, nullptr, MaskAndWait, nullptr);
  for (const pthread_t t : masks) pthread_join(t, nullptr);
  busy.Join();
  signal(SIGURG, Count);
  for (int i = 0; i < 10; ++i) raise(SIGURG);
  return caught.load() == 10 ? 0 : 1;
}

void* Storm(void*) {
  for (;;) Batch(4, 100);
}

int Exits() {
  static Busy busy;
  pthread_t storms[2];
  for (pthread_t& t : storms) pthread_create(&t, nullptr, Storm, nullptr);
  BurnMs(300);
  _exit(0);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  if (std::strcmp(argv[1], "threads") == 0) return Threads();
  if (std::strcmp(argv[1], "forks") == 0) return Forks();
  if (std::strcmp(argv[1], "signals") == 0) return Signals();
  if (std::strcmp(argv[1], "exits") == 0) return Exits();
  return 2;
}
