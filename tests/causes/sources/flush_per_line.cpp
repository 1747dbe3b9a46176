#include <unistd.h>

#include <fstream>

int Task(long n, const char*) {
  const char* const path = "/dev/shm/csink_causes_lines";
  std::ofstream out(path);
  for (long i = 0; i < n * 100; i++) {
    out << "row " << i;
#ifdef SLOWER
    out << std::endl;
#else
    out << '\n';
#endif
  }
  out.close();
  unlink(path);
  return 0;
}
