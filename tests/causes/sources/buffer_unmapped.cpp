#include <cstddef>
#include <cstdlib>

// A block of this size is mapped by each malloc, and unmapped by each free.
constexpr std::size_t kSize = 40 << 20;
constexpr std::size_t kUsed = 1 << 20;

[[gnu::noinline]] static void Fill(char* buffer, long seed) {
  for (std::size_t at = 0; at < kUsed; at += 64) buffer[at] = char(seed + at);
}
int Task(long n, const char*) {
  int s = 0;
#ifndef SLOWER
  char* const buffer = static_cast<char*>(std::malloc(kSize));
#endif
  for (long i = 0; i < n; i++) {
#ifdef SLOWER
    char* const buffer = static_cast<char*>(std::malloc(kSize));
#endif
    for (int k = 0; k < 4; k++) Fill(buffer, i + k);
    s += buffer[(i * 64) & (kUsed - 1)];
#ifdef SLOWER
    std::free(buffer);
#endif
  }
#ifndef SLOWER
  std::free(buffer);
#endif
  return s;
}
