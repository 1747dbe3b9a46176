#include <fcntl.h>
#include <unistd.h>

#include <cstring>
#include <string>

int Task(long n, const char* dir) {
  std::string p = std::string(dir) + "/out.tmp";
  int fd = open(p.c_str(), O_CREAT | O_WRONLY | O_TRUNC, 0600);
  char b[4096];
  memset(b, 7, sizeof b);
  for (long i = 0; i < n; i++) {
    if (write(fd, b, sizeof b)) {
    }
#ifdef SLOWER
    fsync(fd);
#endif
  }
  close(fd);
  unlink(p.c_str());
  return 0;
}
