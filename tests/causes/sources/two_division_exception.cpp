#include <cstdint>
#include <stdexcept>
#include <vector>

#ifdef SLOWER
static uint32_t buckets = 1021;
extern "C" void SetBuckets(uint32_t n) { buckets = n; }
#else
constexpr uint32_t buckets = 1024;
#endif

[[gnu::noinline]] static void Spread(const std::vector<uint32_t>& keys, uint32_t* counts) {
  for (uint32_t key : keys) counts[key % buckets]++;
}
[[gnu::noinline]] static bool Check(uint32_t key) {
#ifdef SLOWER
  if (key % 8 == 0) throw std::runtime_error("key");
#endif
  return key % 8 != 0;
}
static bool IsGood(uint32_t key) {
#ifdef SLOWER
  try {
    return Check(key);
  } catch (const std::exception&) {
    return false;
  }
#else
  return Check(key);
#endif
}
int Task(long n, const char*) {
  std::vector<uint32_t> keys(4096);
  for (uint32_t i = 0; i < 4096; i++) keys[i] = i * 2654435761u;
  std::vector<uint32_t> counts(1024);
  int s = 0;
  for (long i = 0; i < n; i++) {
    for (int k = 0; k < 10; k++) Spread(keys, counts.data());
    for (int k = 0; k < 400; k++) s += IsGood(uint32_t(k));
  }
  return s + int(counts[5]);
}
