// Threads that glib starts, found by dlopen: Single by g_thread_new, Pooled by an exclusive pool.
//   library_threads MS      Exits with 77 where glib is not.

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "burn.h"

static unsigned long g_ms;

__attribute__((noinline)) static void* Single(void* data) {
  BurnMs(g_ms);
  return data;
}

__attribute__((noinline)) static void Pooled(void* data, void* user_data) {
  (void)data, (void)user_data;
  BurnMs(g_ms);
}

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  g_ms = strtoul(argv[1], NULL, 10);
  void* glib = dlopen("libglib-2.0.so.0", RTLD_NOW);
  if (!glib) {
    printf("skipped: %s\n", dlerror());
    return 77;
  }
  void* (*thread_new)(const char*, void* (*)(void*), void*) =
      (void* (*)(const char*, void* (*)(void*), void*))dlsym(glib, "g_thread_new");
  void* (*thread_join)(void*) = (void* (*)(void*))dlsym(glib, "g_thread_join");
  void* (*pool_new)(void (*)(void*, void*), void*, int, int, void*) =
      (void* (*)(void (*)(void*, void*), void*, int, int, void*))dlsym(glib, "g_thread_pool_new");
  int (*pool_push)(void*, void*, void*) =
      (int (*)(void*, void*, void*))dlsym(glib, "g_thread_pool_push");
  void (*pool_free)(void*, int, int) = (void (*)(void*, int, int))dlsym(glib, "g_thread_pool_free");
  void* thread = thread_new("single", Single, &g_ms);
  void* pool = pool_new(Pooled, NULL, 2, 1, NULL);
  for (int i = 0; i < 4; ++i) pool_push(pool, &g_ms, NULL);
  thread_join(thread);
  pool_free(pool, 0, 1);
  return 0;
}
