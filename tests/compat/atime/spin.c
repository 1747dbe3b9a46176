/* Burns CPU time: spin MILLISECONDS */
#include <stdlib.h>
#include <time.h>

int main(int argc, char** argv) {
  const double wanted = argc > 1 ? atof(argv[1]) / 1e3 : 0.1;
  struct timespec now;
  do {
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  } while ((double)now.tv_sec + (double)now.tv_nsec / 1e9 < wanted);
  return 0;
}
