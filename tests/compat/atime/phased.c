/* Sleeps in phases: "PHASE SECONDS" pairs as arguments; "-" instead of a PHASE sets no mark. Exits with
 * the number of marks that were refused, or with 77 for ENOSYS. */
#include <csink.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int main(int count, char** arguments) {
  int refused = 0;
  for (int i = 1; i + 1 < count; i += 2) {
    const double seconds = atof(arguments[i + 1]);
    const struct timespec wait = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
    const int error = strcmp(arguments[i], "-") == 0 ? 0 : csink_mark(arguments[i]);
    if (error == ENOSYS) return 77;
    refused += error != 0;
    nanosleep(&wait, 0);
  }
  return refused;
}
