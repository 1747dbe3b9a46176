#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

// Two threads pass a token; the slower build passes it for each item, the other for 50.
#ifdef SLOWER
constexpr int kBatch = 1;
#else
constexpr int kBatch = 50;
#endif
static std::mutex guard;
static std::condition_variable changed;
static int turn;
static uint64_t sums[2];

static void Play(int who, long n) {
  for (long i = 0; i < n; i += kBatch) {
    std::unique_lock<std::mutex> lock(guard);
    changed.wait(lock, [who] { return turn == who; });
    for (int k = 0; k < kBatch * 1000; k++) sums[who] = sums[who] * 6364136223846793005ull + 1;
    turn = 1 - who;
    changed.notify_one();
  }
}
int Task(long n, const char*) {
  n = (n + 49) / 50 * 50;
  std::thread one(Play, 0, n);
  std::thread two(Play, 1, n);
  one.join();
  two.join();
  return int(sums[0] + sums[1]);
}
