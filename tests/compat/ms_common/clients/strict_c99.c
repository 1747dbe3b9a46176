/* The header in ISO C99 without extensions, as a client that states its version uses it. */
#include <ms_common_apapi.h>

int main(void) {
  const MS_VERSION version = {MS_MAJOR_VERSION, MS_MINOR_VERSION, MS_REVISION_VERSION};
  const struct timespec wait = {0, 1000};
  return version.major == 0 && version.minor == 8 && version.revision == 0 && wait.tv_nsec == 1000
             ? 0
             : 1;
}
