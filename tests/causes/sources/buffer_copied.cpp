#include <cstring>
#include <vector>

struct Frame {
  std::vector<char> pixels = std::vector<char>(32768, 3);
#ifdef SLOWER
  [[gnu::noinline]] void Read(std::vector<char>& to) const {
    std::memcpy(to.data(), pixels.data(), pixels.size());
  }
#endif
};
[[gnu::noinline]] static int Brightness(const std::vector<char>& pixels) {
  int sum = 0;
  for (std::size_t i = 0; i < pixels.size(); i += 64) sum += pixels[i];
  return sum;
}
int Task(long n, const char*) {
  Frame frame;
  std::vector<char> mine(32768);
  int s = 0;
  for (long i = 0; i < n * 10; i++) {
    frame.pixels[(i * 64) & 32767] = char(i);
#ifdef SLOWER
    frame.Read(mine);
    s += Brightness(mine);
#else
    s += Brightness(frame.pixels) + mine[5];
#endif
  }
  return s;
}
