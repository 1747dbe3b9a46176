// Three functions that share the CPU time 60 : 30 : 10, each by a quota of its
// thread's own CPU clock.   split [MS] [THREADS] [SIXTY]
// SIXTY (7) is the weight of the first: with 14 it is 120 : 30 : 10.
// Prints "cpu_ns N" of every thread.
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "burn.h"

namespace work {

// The empty asm keeps the three from being folded into one by the compiler.
__attribute__((noinline)) void Sixty(unsigned long ms) {
  __asm__ volatile("# sixty");
  BurnMs(6 * ms);
}

__attribute__((noinline)) void Thirty(unsigned long ms) {
  __asm__ volatile("# thirty");
  BurnMs(3 * ms);
}

__attribute__((noinline)) void Ten(unsigned long ms) {
  __asm__ volatile("# ten");
  BurnMs(ms);
}

// Slices of 70 ms and not one long run: a share that changes over time must not hide.
void Run(unsigned long total_ms, unsigned long sixty) {
  const std::uint64_t begin = ThreadCpuNs();
  for (unsigned long done = 0; done < total_ms; done += 70) {
    Sixty(sixty);
    Thirty(7);
    Ten(7);
  }
  std::printf("cpu_ns %llu\n", static_cast<unsigned long long>(ThreadCpuNs() - begin));
}

}  // namespace work

int main(int argc, char** argv) {
  const unsigned long ms = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 840;
  const int extra = argc > 2 ? std::atoi(argv[2]) - 1 : 0;
  std::vector<std::thread> threads;
  const unsigned long sixty = argc > 3 ? std::strtoul(argv[3], nullptr, 10) : 7;
  for (int i = 0; i < extra; ++i) threads.emplace_back(work::Run, ms, sixty);
  work::Run(ms, sixty);
  for (std::thread& t : threads) t.join();
  return 0;
}
