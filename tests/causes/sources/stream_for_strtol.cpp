#include <cstdlib>
#include <sstream>
#include <string>

[[gnu::noinline]] static long Sum(const std::string& line) {
  long sum = 0;
#ifdef SLOWER
  std::istringstream in(line);
  for (long value; in >> value;) sum += value;
#else
  char* end = nullptr;
  for (const char* at = line.c_str(); *at != 0; at = end) sum += std::strtol(at, &end, 10);
#endif
  return sum;
}
int Task(long n, const char*) {
  const std::string line = "10 200 3000 41 52 6";
  long s = 0;
  for (long i = 0; i < n * 100; i++) s += Sum(line);
  return int(s);
}
