// The agent under stress, inside a program that is built with a sanitizer: the agent's objects are
// linked into it, not preloaded, so that the sanitizer's run-time comes first.   agent_stress MODE
//   threads  threads come and go while others burn
//   forks    children of a process with threads, each with threads of its own
//   signals  masks, handlers and waits around the drain signal, and one thread alone
//   pauses   pauses, resumes, marks and new starts by the C interface, from many threads at once
//   exits    the end of the process while others burn, begin and end
#include <csink.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <initializer_list>

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

/// Under the thread sanitizer, a fork that no signal interrupts: inside fork the sanitizer ignores
/// atomic operations, also those of a handler, and would report its data as a race.
pid_t ForkUninterrupted() {
#if defined(__SANITIZE_THREAD__)
  const unsigned long all = ~0ul;
  unsigned long before = 0;
  syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, &before, sizeof all);
  const pid_t child = fork();
  syscall(SYS_rt_sigprocmask, SIG_SETMASK, &before, nullptr, sizeof before);
  return child;
#else
  return fork();
#endif
}

int Forks() {
  int wrong = 0;
  Busy busy;
  for (int round = 0; round < 10; ++round) {
    const pid_t child = ForkUninterrupted();
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

// What is answered to requests that contradict each other is nobody's to foresee, but it is an
// answer.
std::atomic<int> unanswered{0};
void Expect(int answer, std::initializer_list<int> allowed) {
  for (const int error : allowed) {
    if (answer == error) return;
  }
  unanswered.fetch_add(1, std::memory_order_relaxed);
}

void* Steer(void* number) {
  const auto me = reinterpret_cast<std::uintptr_t>(number);
  char mark[32];
  for (unsigned i = 0; i < 150; ++i) {
    Expect(csink_pause(), {0, EBUSY});
    std::snprintf(mark, sizeof mark, "mark %u", static_cast<unsigned>(me + i % 5));
    Expect(csink_mark(mark), {0, EBUSY});
    // Every other thread's pauses are long enough for the counters to be taken away.
    if (me % 2 && i % 50 == 0) BurnMs(120);
    Expect(csink_resume(), {0, EBUSY});
    BurnShortUs(200);
    const int status = csink_status();
    Expect(status, {0, 1});
  }
  return nullptr;
}

// ThreadSanitizer looks away from atomics while its fork runs, in a signal handler that comes
// meanwhile, too: what the handler of the timer source hands over then looks like a race.
bool MayFork() {
#if defined(__SANITIZE_THREAD__)
  const char* source = std::getenv("CSINK_SOURCE");
  return !source || std::strcmp(source, "timer") != 0;
#else
  return true;
#endif
}

int Pauses() {
  BurnMs(20);
  Expect(csink_pause(), {0});
  Expect(csink_resume(), {0});  // alone so far
  Busy busy;
  pthread_t steering[4];
  for (std::uintptr_t i = 0; i < 4; ++i) {
    pthread_create(&steering[i], nullptr, Steer, reinterpret_cast<void*>(i));
  }
  for (int round = 0; round < 10; ++round) {
    Batch(8, 200);  // threads that come to be while somebody pauses
    if (!MayFork()) continue;
    const pid_t child = fork();
    if (child == 0) {
      Expect(csink_resume(), {0, EBUSY});
      BurnMs(5);
      _exit(unanswered.load());
    }
    int status = -1;
    waitpid(child, &status, 0);
    Expect(status, {0});
  }
  for (const pthread_t t : steering) pthread_join(t, nullptr);
  busy.Join();
  Expect(csink_resume(), {0});
  Expect(csink_status(), {0});
  return unanswered.load();
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
  if (std::strcmp(argv[1], "pauses") == 0) return Pauses();
  if (std::strcmp(argv[1], "exits") == 0) return Exits();
  return 2;
}
