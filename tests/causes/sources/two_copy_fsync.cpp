#include <fcntl.h>
#include <unistd.h>

#include <string>
#include <vector>

#ifdef SLOWER
[[gnu::noinline]] static int Sum(std::vector<int> block) {
#else
[[gnu::noinline]] static int Sum(const std::vector<int>& block) {
#endif
  int sum = 0;
  for (std::size_t i = 0; i < block.size(); i += 64) sum += block[i];
  return sum;
}
int Task(long n, const char* folder) {
  const std::string path = std::string(folder) + "/csink_causes_blocks";
  const int file = open(path.c_str(), O_CREAT | O_WRONLY | O_TRUNC, 0600);
  std::vector<int> block(16384, 3);
  int s = 0;
  for (long i = 0; i < n; i++) {
    for (int k = 0; k < 1000; k++) {
      block[k] = int(i);
      s += Sum(block);
    }
    if (write(file, block.data(), 4096) < 0) return 1;
#ifdef SLOWER
    fsync(file);
#endif
  }
  close(file);
  unlink(path.c_str());
  return s;
}
