// Four threads allocate, free and burn; compiled by tests with every allocator and sanitizer.
// Prints "sum N" (always the same) and "cpu_ns N".
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <thread>
#include <vector>

namespace {

std::uint64_t CpuNs() {
  timespec t;
  syscall(SYS_clock_gettime, CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<std::uint64_t>(t.tv_sec) * 1000000000u + static_cast<std::uint64_t>(t.tv_nsec);
}

}  // namespace

__attribute__((noinline)) std::uint64_t Allocate(unsigned seed, unsigned rounds) {
  std::uint64_t sum = 0;
  std::map<std::uint64_t, std::string> tree;
  std::uint64_t x = seed;
  for (unsigned i = 0; i < rounds; ++i) {
    x = x * 6364136223846793005u + 1442695040888963407u;
    tree[x % 1000] = std::string(x % 300, 'x');
    sum += tree[x % 777].size();
  }
  return sum;
}

int main(int argc, char** argv) {
  const unsigned rounds = argc > 1 ? static_cast<unsigned>(std::atoi(argv[1])) : 100000;
  std::uint64_t sums[4] = {};
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < 4; ++i) {
    threads.emplace_back([&sums, i, rounds] { sums[i] = Allocate(i + 1, rounds); });
  }
  for (std::thread& thread : threads) thread.join();
  std::printf("sum %llu\n", static_cast<unsigned long long>(sums[0] + sums[1] + sums[2] + sums[3]));
  std::fprintf(stdout, "cpu_ns %llu\n", static_cast<unsigned long long>(CpuNs()));
  return 0;
}
