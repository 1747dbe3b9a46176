// Loads a plugin with RTLD_DEEPBIND: its calls of pthread_create go to the C library past every
// preloaded library. Works beside the plugin's thread.   deep_bind PLUGIN MS
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "burn.h"

__attribute__((noinline)) static void MainWork(unsigned long ms) { BurnMs(ms); }

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const unsigned long ms = strtoul(argv[2], NULL, 10);
  void* plugin = dlopen(argv[1], RTLD_NOW | RTLD_DEEPBIND);
  if (!plugin) return 1;
  void (*start)(unsigned long) = (void (*)(unsigned long))dlsym(plugin, "PluginStart");
  void (*join)(void) = (void (*)(void))dlsym(plugin, "PluginJoin");
  if (!start || !join) return 1;
  start(ms * 1000);
  MainWork(ms);
  join();
  puts("done");
  return 0;
}
