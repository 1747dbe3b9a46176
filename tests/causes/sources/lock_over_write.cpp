#include <fcntl.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <mutex>
#include <string>
#include <thread>

static std::mutex guard;
static uint64_t total;

static void Save(int file, const char* block, long i) {
  if (pwrite(file, block, 4096, (i & 7) * 4096) < 0) return;
  fdatasync(file);
}
static void Work(long n, std::string path) {
  const int file = open(path.c_str(), O_CREAT | O_WRONLY | O_TRUNC, 0600);
  char block[4096];
  std::memset(block, 7, sizeof block);
  for (long i = 0; i < n; i++) {
#ifndef SLOWER
    Save(file, block, i);
#endif
    std::lock_guard<std::mutex> lock(guard);
#ifdef SLOWER
    Save(file, block, i);
#endif
    for (int k = 0; k < 100; k++) total = total * 6364136223846793005ull + 1;
  }
  close(file);
  unlink(path.c_str());
}
int Task(long n, const char* folder) {
  std::thread one(Work, n, std::string(folder) + "/one");
  std::thread two(Work, n, std::string(folder) + "/two");
  one.join();
  two.join();
  return int(total);
}
