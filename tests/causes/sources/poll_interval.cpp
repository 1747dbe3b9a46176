#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <thread>

#ifdef SLOWER
constexpr int kMicroseconds = 4000;
#else
constexpr int kMicroseconds = 200;
#endif
static std::atomic<long> done;
static std::atomic<long> asked;

static void Serve(long n) {
  uint64_t x = 1;
  for (long served = 0; served < n;) {
    if (asked.load() == served) {
      usleep(50);
      continue;
    }
    for (int i = 0; i < 100000; i++) x = x * 6364136223846793005ull + 1;
    done.store(++served + (x == 0));
  }
}
int Task(long n, const char*) {
  std::thread server(Serve, n);
  for (long i = 0; i < n; i++) {
    asked.store(i + 1);
    while (done.load() == i) usleep(kMicroseconds);
  }
  server.join();
  return int(done);
}
