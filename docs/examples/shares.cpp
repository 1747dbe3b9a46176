// Three functions take 60, 30 and 10 % of the time: 6, 3 and 1 times the same number of steps.
//   g++ -O2 -g shares.cpp -o shares && LD_PRELOAD=libagent.so ./shares
#include <cstdio>
#include <cstdlib>

// Each step needs the result of the step before, so all steps take the same time. The functions
// begin at cache lines, so that their loops are fetched alike.
static unsigned Step(unsigned x) { return x * 1664525 + 1013904223; }

[[gnu::noinline, gnu::aligned(64)]] unsigned Simulate(unsigned x, long steps) {
  for (long i = 0; i < steps; ++i) x = Step(x);
  return x;
}

[[gnu::noinline, gnu::aligned(64)]] unsigned Sort(unsigned x, long steps) {
  for (long i = 0; i < steps; ++i) x = Step(x);
  return x + 1;
}

[[gnu::noinline, gnu::aligned(64)]] unsigned Print(unsigned x, long steps) {
  for (long i = 0; i < steps; ++i) x = Step(x);
  return x + 2;
}

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 5000;
  unsigned x = 1;
  for (int i = 0; i < rounds; ++i) {
    // Rounds of different lengths: equal ones might keep step with the profiler's clock.
    const long steps = 5000 + (x >> 18);
    x = Simulate(x, 6 * steps);
    x = Sort(x, 3 * steps);
    x = Print(x, steps);
  }
  std::printf("%u\n", x);
  return 0;
}
