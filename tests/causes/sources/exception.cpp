#include <cstdlib>
#include <stdexcept>

#ifndef SLOWER
[[gnu::noinline]] bool Parse(const char* p, long& out) {
  if (*p < '0' || *p > '9') return false;
  out = strtol(p, nullptr, 10);
  return true;
}
static long Get(const char* p) {
  long v;
  return Parse(p, v) ? v : -1;
}
#else
[[gnu::noinline]] long Parse(const char* p) {
  if (*p < '0' || *p > '9') throw std::runtime_error("no number");
  return strtol(p, nullptr, 10);
}
static long Get(const char* p) {
  try {
    return Parse(p);
  } catch (const std::exception&) {
    return -1;
  }
}
#endif
int Task(long n, const char*) {
  const char* w[8] = {"123", "77", "9123", "12", "55", "1", "x1", "8"};
  long s = 0;
  for (long i = 0; i < n * 1000; i++) s += Get(w[i & 7]);
  return int(s);
}
