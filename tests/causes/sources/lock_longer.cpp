#include <unistd.h>

#include <cstdint>
#include <mutex>
#include <thread>

static std::mutex m;
static uint64_t total;
static uint64_t Work(uint64_t x) {
  for (int i = 0; i < 60; i++) x = x * 6364136223846793005ull + 1;
  return x;
}
[[gnu::noinline]] static void Worker(long n) {
  uint64_t t = 0;
  for (long i = 0; i < n; i++) {
#ifndef SLOWER
    if (i % 100 == 0) usleep(300);
    std::lock_guard<std::mutex> g(m);
    total += Work(i);
#else
    std::lock_guard<std::mutex> g(m);
    if (i % 100 == 0) usleep(300);
    total += Work(i);
#endif
  }
  std::lock_guard<std::mutex> g(m);
  total += t;
}
int Task(long n, const char*) {
  std::thread a(Worker, n * 100), b(Worker, n * 100);
  a.join();
  b.join();
  return int(total);
}
