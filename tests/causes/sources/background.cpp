#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

// background work, the same in every case and on both sides
uint64_t sink;
[[gnu::noinline]] uint64_t Checksum(const std::vector<uint32_t>& v) {
  uint64_t h = 14695981039346656037ull;
  for (uint32_t x : v) {
    h ^= x;
    h *= 1099511628211ull;
    h ^= h >> 29;
  }
  return h;
}
[[gnu::noinline]] void Shuffle(std::vector<uint32_t>& v, uint32_t s) {
  for (size_t i = v.size() - 1; i; i--) {
    s = s * 1664525u + 1013904223u;
    std::swap(v[i], v[(uint64_t(s) * i) >> 32]);
  }
}
[[gnu::noinline]] void SortAll(std::vector<uint32_t>& v) { std::sort(v.begin(), v.end()); }
[[gnu::noinline]] int CountWords(const char* p) {
  int n = 0;
  bool in = false;
  for (; *p; p++) {
    bool w = *p > 'd';
    if (w && !in) n++;
    in = w;
  }
  return n;
}
int Task(long n, const char* arg);
int main(int argc, char** argv) {
  long n = argc > 1 ? atol(argv[1]) : 1;
  int bg = argc > 2 ? atoi(argv[2]) : 10;
  const char* arg = argc > 3 ? argv[3] : "";
  std::vector<uint32_t> v(50000);
  uint32_t s = 1;
  for (auto& x : v) x = s = s * 1664525u + 1013904223u;
  std::vector<char> t(200001);
  for (size_t i = 0; i < 200000; i++) t[i] = char('a' + (s = s * 1664525u + 1013904223u) % 7u);
  t[200000] = 0;
  for (int i = 0; i < bg; i++) {
    Shuffle(v, i + 1);
    sink += Checksum(v) + Checksum(v) + Checksum(v);
    SortAll(v);
    sink += CountWords(t.data());
  }
  sink += Task(n, arg);
  fprintf(stderr, "%lu\n", (unsigned long)sink);
  return 0;
}
