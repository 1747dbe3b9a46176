// Threads that the C++ library starts, in each way, burn CPU time. started_threads MILLISECONDS

#include <cstdlib>
#include <future>
#include <thread>
#include <vector>

extern "C" {
#include "burn.h"
}

static unsigned g_ms;

__attribute__((noinline)) static void Function(double* sum, int times, double* other) {
  for (int i = 0; i < times; ++i) BurnMs(g_ms);
  *sum += *other;
}

struct Worker {
  __attribute__((noinline)) void Member(int times) const {
    for (int i = 0; i < times; ++i) BurnMs(g_ms);
  }
  __attribute__((noinline)) void operator()() const { BurnMs(g_ms); }
  __attribute__((noinline)) int Later(const Worker*, int times) {
    Member(times);
    return times;
  }
};

__attribute__((noinline)) static int Later(long times, const char*) {
  for (long i = 0; i < times; ++i) BurnMs(g_ms);
  return 0;
}

__attribute__((noinline)) static void StartAll() {
  double sum = 1;
  Worker worker;
  std::vector<std::thread> threads;
  threads.emplace_back([] { BurnMs(g_ms); });
  threads.emplace_back(Function, &sum, 1, &sum);
  threads.emplace_back(&Worker::Member, &worker, 1);
  threads.emplace_back(worker);
  auto later = std::async(std::launch::async, [] { BurnMs(g_ms); });
  auto function = std::async(std::launch::async, Later, 1, "");
  auto member = std::async(std::launch::async, &Worker::Later, &worker, &worker, 1);
  for (std::thread& thread : threads) thread.join();
  later.get();
  function.get();
  member.get();
}

int main(int, char** arguments) {
  g_ms = static_cast<unsigned>(std::atoi(arguments[1]));
  StartAll();
  return 0;
}
