#include <memory>
#include <thread>
#include <vector>

struct Body {
  int mass = 3;
  int speed = 4;
};
using Bodies = std::vector<std::shared_ptr<Body>>;
[[gnu::noinline]] static long Momentum(const Bodies& bodies) {
  long sum = 0;
#ifdef SLOWER
  for (std::shared_ptr<Body> body : bodies) sum += body->mass * body->speed;
#else
  for (const std::shared_ptr<Body>& body : bodies) sum += body->mass * body->speed;
#endif
  return sum;
}
int Task(long n, const char*) {
  Bodies bodies;
  for (int i = 0; i < 1024; i++) bodies.push_back(std::make_shared<Body>());
  // With a second thread, the counters of references are atomic.
  std::thread([] {}).join();
  long s = 0;
  for (long i = 0; i < n * 10; i++) {
    bodies[i & 1023]->speed++;
    s += Momentum(bodies);
  }
  return int(s);
}
