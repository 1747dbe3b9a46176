#include <cstdint>
#include <thread>

#ifdef SLOWER
struct Counter {
#else
struct alignas(128) Counter {
#endif
  volatile uint64_t value = 0;
};
static Counter counters[2];
[[gnu::noinline]] static void Count(Counter& counter, long n) {
  for (long i = 0; i < n; i++) counter.value = counter.value + 1;
}
int Task(long n, const char*) {
  std::thread one([n] { Count(counters[0], n * 10000); });
  std::thread two([n] { Count(counters[1], n * 10000); });
  one.join();
  two.join();
  return int(counters[0].value + counters[1].value);
}
