// Loads libraries in every way there is, and burns in them.
//   loads twins A B COUNT US THREADS  A and B by turns, each unloaded before the other
//                                     comes; B burns a quarter of what A burns
//   loads deepbind A US               RTLD_DEEPBIND
//   loads space A US                  in a namespace of its own (dlmopen), on a thread made there
//   loads origin US                   "plugin.so", which only our own RUNPATH finds
// Each plugin has PluginBurn(us) and PluginThread(us).
// Prints "a_ns N", "b_ns N": CPU time inside; "same N": loads at an address that the other
// plugin had before; "cpu_ns N".
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "burn.h"

typedef void (*Burn)(unsigned long);
static atomic_ullong g_inside[2], g_same;
static const char* g_path[2];
static unsigned long g_count, g_us;

static void* Open(const char* path, int flags) {
  void* plugin = dlopen(path, flags);
  if (!plugin) {
    fprintf(stderr, "%s\n", dlerror());
    exit(3);
  }
  return plugin;
}

static void BurnIn(void* plugin, int which, unsigned long us) {
  Burn burn = (Burn)dlsym(plugin, "PluginBurn");
  const uint64_t begin = ThreadCpuNs();
  burn(us);
  g_inside[which] += ThreadCpuNs() - begin;
}

static void* Twins(void* unused) {
  (void)unused;
  ElfW(Addr) last = 0;
  uint64_t step = (uint64_t)Tid();
  for (unsigned long i = 0; i < g_count; ++i) {
    void* plugin = Open(g_path[i % 2], RTLD_NOW | RTLD_LOCAL);
    struct link_map* map = NULL;
    dlinfo(plugin, RTLD_DI_LINKMAP, &map);
    if (map->l_addr == last) ++g_same;
    last = map->l_addr;
    const unsigned long us = i % 2 ? g_us / 4 : g_us;
    BurnIn(plugin, (int)(i % 2), us / 2 + OutOfStep(&step, us));
    dlclose(plugin);
  }
  return NULL;
}

static void Threads(int count) {
  pthread_t threads[64];
  for (int i = 1; i < count && i < 64; ++i) pthread_create(&threads[i], NULL, Twins, NULL);
  Twins(NULL);
  for (int i = 1; i < count && i < 64; ++i) pthread_join(threads[i], NULL);
}

int main(int argc, char** argv) {
  const char* mode = argc > 1 ? argv[1] : "";
  if (!strcmp(mode, "twins") && argc == 7) {
    g_path[0] = argv[2];
    g_path[1] = argv[3];
    g_count = strtoul(argv[4], NULL, 10);
    g_us = strtoul(argv[5], NULL, 10);
    Threads(atoi(argv[6]));
  } else if (!strcmp(mode, "deepbind") && argc == 4) {
    g_us = strtoul(argv[3], NULL, 10);
    BurnIn(Open(argv[2], RTLD_NOW | RTLD_DEEPBIND), 0, g_us);
  } else if (!strcmp(mode, "space") && argc == 4) {
    g_us = strtoul(argv[3], NULL, 10);
    void* plugin = dlmopen(LM_ID_NEWLM, argv[2], RTLD_NOW);
    if (!plugin) {
      fprintf(stderr, "%s\n", dlerror());
      return 3;
    }
    BurnIn(plugin, 0, g_us);
    ((Burn)dlsym(plugin, "PluginThread"))(g_us);
  } else if (!strcmp(mode, "origin") && argc == 3) {
    g_us = strtoul(argv[2], NULL, 10);
    BurnIn(Open("plugin.so", RTLD_NOW), 0, g_us);
  } else {
    return 2;
  }
  printf("a_ns %llu\nb_ns %llu\nsame %llu\ncpu_ns %llu\n", g_inside[0], g_inside[1], g_same,
         (unsigned long long)ProcessCpuNs());
  return 0;
}
