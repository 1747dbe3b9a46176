#include <cstdint>
#include <stdexcept>
#include <vector>

static uint32_t Decode(uint32_t word, bool& bad) {
  bad = word % 64 == 0;
#ifdef SLOWER
  if (bad) throw std::out_of_range("word");
#endif
  return word * 2654435761u;
}
[[gnu::noinline]] static uint32_t DecodeAll(const std::vector<uint32_t>& words) {
  uint32_t sum = 0;
  for (uint32_t word : words) {
    bool bad = false;
#ifdef SLOWER
    try {
      sum += Decode(word, bad);
    } catch (const std::out_of_range&) {
      sum += 1;
    }
#else
    const uint32_t decoded = Decode(word, bad);
    sum += bad ? 1 : decoded;
#endif
    for (int k = 0; k < 20; k++) sum = sum * 31 + k;
  }
  return sum;
}
int Task(long n, const char*) {
  std::vector<uint32_t> words(4096);
  for (uint32_t i = 0; i < 4096; i++) words[i] = i;
  uint32_t s = 0;
  for (long i = 0; i < n; i++) {
    words[i & 4095] = uint32_t(i & 4095);
    s += DecodeAll(words);
  }
  return int(s);
}
