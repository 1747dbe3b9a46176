/// loads LIBRARY COUNT: loads and unloads a library that often. Prints {"cpu_ns", "loads"}.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const long count = atol(argv[2]);
  for (long i = 0; i < count; ++i) {
    void* library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (!library) {
      fprintf(stderr, "%s\n", dlerror());
      return 3;
    }
    dlclose(library);
  }
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  printf("{\"cpu_ns\": %lld, \"loads\": %ld}\n", (long long)t.tv_sec * 1000000000 + t.tv_nsec,
         count);
  return 0;
}
