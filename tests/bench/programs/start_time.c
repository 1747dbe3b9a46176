/* How long a command takes from its exec to the exec of the program that it runs.
 *   bench_start_time COMMAND... bench_start_time     COMMAND runs this program again, which prints the ns
 *   bench_start_time                                 since the first one was about to exec COMMAND */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char** argv) {
  struct timespec now;
  char text[32];
  clock_gettime(CLOCK_MONOTONIC, &now);
  const long long ns = now.tv_sec * 1000000000LL + now.tv_nsec;
  if (argc == 1) {
    const char* began = getenv("BENCH_BEGAN_NS");
    if (!began) return 2;
    printf("ns %lld\n", ns - atoll(began));
    return 0;
  }
  snprintf(text, sizeof text, "%lld", ns);
  setenv("BENCH_BEGAN_NS", text, 1);
  execvp(argv[1], argv + 1);
  return 127;
}
