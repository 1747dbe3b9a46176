#include <cstdint>
#include <vector>

#ifndef SLOWER
static const uint64_t kBuckets = 1024;
#else
static uint64_t kBuckets = 1021;
extern "C" void SetBuckets(uint64_t n) { kBuckets = n; }
#endif
[[gnu::noinline]] void Spread(const uint64_t* v, int n, int* out) {
  for (int i = 0; i < n; i++) out[v[i] % kBuckets]++;
}
int Task(long n, const char*) {
  std::vector<uint64_t> v(4096);
  uint64_t x = 1;
  for (auto& e : v) e = x = x * 6364136223846793005ull + 1442695040888963407ull;
  std::vector<int> o(1024);
  for (long i = 0; i < n * 10; i++) Spread(v.data(), 4096, o.data());
  return o[5];
}
