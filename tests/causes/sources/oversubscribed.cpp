#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#ifndef SLOWER
static const int kThreads = 2;
#else
static const int kThreads = 12;
#endif
static std::atomic<int> arrived, round_;
static void Barrier() {
  int r = round_;
  if (++arrived == kThreads) {
    arrived = 0;
    round_++;
  } else
    while (round_ == r) __builtin_ia32_pause();
}
static uint64_t out[64];
[[gnu::noinline]] static void Worker(int k, long n) {
  for (long s = 0; s < n; s++) {
    uint64_t x = k;
    for (int i = 0; i < 2400000 / kThreads; i++) x = x * 6364136223846793005ull + 1;
    out[k] += x;
    Barrier();
  }
}
int Task(long n, const char*) {
  std::vector<std::thread> t;
  for (int i = 0; i < kThreads; i++) t.emplace_back(Worker, i, n);
  for (auto& x : t) x.join();
  return int(out[0]);
}
