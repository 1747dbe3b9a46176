// Loads and unloads a plugin again and again and burns in its function in between; it
// is gone when the program ends.   dl_storm PLUGIN COUNT US
// Prints "plugin_ns N", the CPU time spent inside the plugin, and "cpu_ns N".
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "burn.h"

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  const int count = atoi(argv[2]);
  const unsigned long us = strtoul(argv[3], NULL, 10);
  uint64_t inside = 0, step = 1;
  for (int i = 0; i < count; ++i) {
    SpinRounds(OutOfStep(&step, BURN_FINE));
    void* plugin = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (!plugin) {
      fprintf(stderr, "%s\n", dlerror());
      return 3;
    }
    void (*burn)(unsigned long) = (void (*)(unsigned long))dlsym(plugin, "PluginBurn");
    const uint64_t begin = ThreadCpuNs();
    burn(us);
    inside += ThreadCpuNs() - begin;
    dlclose(plugin);
  }
  printf("plugin_ns %llu\ncpu_ns %llu\n", (unsigned long long)inside,
         (unsigned long long)ThreadCpuNs());
  return 0;
}
