#include <cstdint>
#include <fstream>
#include <string>

[[gnu::noinline]] static int Tokens(const std::string& s) {
  int n = 0;
  uint32_t h = 7;
  for (char c : s) {
    h = h * 31 + c;
    if (c == ' ') {
      n += h & 1;
      h = 7;
    }
  }
  return n;
}
int Task(long n, const char* f) {
  int s = 0;
  for (long i = 0; i < n; i++) {
    std::ifstream in(f);
    std::string l;
    while (std::getline(in, l)) s += Tokens(l);
  }
  return s;
}
