#include <cctype>
#include <cstdlib>
#include <regex>
#include <string>

[[gnu::noinline]] static int ValueOf(const std::string& line) {
#ifdef SLOWER
  static const std::regex kPair("([a-z]+)=([0-9]+)");
  std::smatch match;
  return std::regex_match(line, match, kPair) ? std::atoi(match[2].str().c_str()) : -1;
#else
  std::size_t at = 0;
  while (at < line.size() && std::islower(static_cast<unsigned char>(line[at]))) ++at;
  if (at == 0 || at == line.size() || line[at] != '=') return -1;
  return std::atoi(line.c_str() + at + 1);
#endif
}
int Task(long n, const char*) {
  const std::string lines[] = {"width=640", "height=480", "depth=24", "none"};
  int s = 0;
  for (long i = 0; i < n * 100; i++) s += ValueOf(lines[i & 3]);
  return s;
}
