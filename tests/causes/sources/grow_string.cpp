#include <cstddef>
#include <string>

[[gnu::noinline]] std::string Join(int n) {
  std::string s;
  for (int i = 0; i < n; i++) {
#ifndef SLOWER
    s += "item";
    s += char('a' + i % 26);
#else
    s = s + "item" + char('a' + i % 26);
#endif
  }
  return s;
}
int Task(long n, const char*) {
  size_t s = 0;
  for (long i = 0; i < n; i++) s += Join(800).size();
  return int(s);
}
