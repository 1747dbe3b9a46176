#include <cstdint>
#include <list>
#include <vector>

#ifdef SLOWER
using Queue = std::list<uint32_t>;
#else
using Queue = std::vector<uint32_t>;
#endif
[[gnu::noinline]] static uint32_t Largest(const Queue& queue) {
  uint32_t most = 0;
  for (uint32_t x : queue) {
    if ((x ^ 0x55) > most) most = x;
  }
  return most;
}
int Task(long n, const char*) {
  Queue queue;
  for (uint32_t i = 0; i < 20000; i++) queue.push_back(i * 2654435761u);
  uint32_t s = 0;
  for (long i = 0; i < n; i++) {
    queue.front() = uint32_t(i);
    s += Largest(queue);
  }
  return int(s);
}
