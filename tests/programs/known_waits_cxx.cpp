// As known_waits.c, with the classes of C++.
//   known_waits_cxx MS
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <future>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <vector>

#define OUTERMOST __attribute__((noinline)) static
// Keeps a call before it from becoming a jump.
#define STAY() __asm__ volatile("")

using std::chrono::milliseconds;

std::mutex guard;
std::mutex ready_lock;
std::condition_variable ready;
std::shared_mutex table;
static int goods;
static std::atomic<bool> over{false};

static void Nap(int ms) { std::this_thread::sleep_for(milliseconds(ms)); }

static long long NowNs() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static long long BusyNs() {
  char path[64];
  char text[64] = "";
  long long run = 0;
  long long wait = 0;
  std::snprintf(path, sizeof path, "/proc/self/task/%ld/schedstat", syscall(SYS_gettid));
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (read(fd, text, sizeof text - 1) > 0) std::sscanf(text, "%lld %lld", &run, &wait);
  close(fd);
  return run + wait;
}

OUTERMOST void Consume() {
  std::unique_lock<std::mutex> held(ready_lock);
  ready.wait(held, [] { return goods > 0 || over.load(); });
  if (goods > 0) --goods;
  STAY();
}
OUTERMOST void TakeGuard() {
  guard.lock();
  guard.unlock();
  STAY();
}
OUTERMOST void KeepGuard() {
  guard.lock();
  Nap(60);
  guard.unlock();
  STAY();
}
OUTERMOST void ReadTable() {
  table.lock_shared();
  table.unlock_shared();
  STAY();
}
OUTERMOST void ChangeTable() {
  table.lock();
  Nap(60);
  table.unlock();
  STAY();
}
OUTERMOST void AwaitFuture() {
  auto later = std::async(std::launch::async, [] { Nap(100); });
  later.wait();
  STAY();
}
OUTERMOST void NapInTheSun() {
  Nap(30);
  STAY();
}

int main(int argc, char** argv) {
  const int ms = argc > 1 ? std::atoi(argv[1]) : 1000;
  struct Waiter {
    const char* function;
    void (*wait)();
    long long blocked_ns;
    long tid;
  };
  Waiter waiters[] = {{"Consume", Consume, 0, 0},
                      {"TakeGuard", TakeGuard, 0, 0},
                      {"ReadTable", ReadTable, 0, 0},
                      {"AwaitFuture", AwaitFuture, 0, 0},
                      {"NapInTheSun", NapInTheSun, 0, 0}};
  std::vector<std::thread> threads;
  for (void (*keep)() : {KeepGuard, ChangeTable}) {
    threads.emplace_back([keep] {
      while (!over) {
        keep();
        Nap(4);
      }
    });
  }
  Nap(10);
  for (Waiter& waiter : waiters) {
    threads.emplace_back([&waiter] {
      waiter.tid = syscall(SYS_gettid);
      const long long wall = NowNs();
      const long long busy = BusyNs();
      while (!over) waiter.wait();
      waiter.blocked_ns = NowNs() - wall - (BusyNs() - busy);
    });
  }
  for (int i = 0; i < ms / 50; ++i) {
    Nap(50);
    const std::scoped_lock held(ready_lock);
    ++goods;
    ready.notify_one();
  }
  {
    const std::scoped_lock held(ready_lock);
    over = true;
    ready.notify_all();
  }
  for (std::thread& thread : threads) thread.join();
  for (const Waiter& waiter : waiters) {
    std::printf("blocked %s %lld %ld\n", waiter.function, waiter.blocked_ns, waiter.tid);
  }
  return 0;
}
