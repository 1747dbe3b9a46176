// Wraps pthread_create, getenv and setenv. In a program (-DWRAP_MAIN) or in a library that
// is preloaded. WRAP_LOOKUP: RTLD_NEXT or, as some do, the default scope by way of libc's
// own handle.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int (*Create)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
static unsigned long g_created;

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*routine)(void*),
                   void* argument) {
  static Create next;
#ifdef WRAP_LIBC
  if (!next) next = (Create)dlsym(dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD), "pthread_create");
#else
  if (!next) next = (Create)dlsym(RTLD_NEXT, "pthread_create");
#endif
  __atomic_fetch_add(&g_created, 1, __ATOMIC_RELAXED);
  return next(thread, attributes, routine, argument);
}

#ifdef WRAP_MAIN
extern char** environ;
// As shells do: the environment belongs to the program.
char* getenv(const char* name) {
  const size_t n = strlen(name);
  for (char** v = environ; v && *v; ++v) {
    if (!strncmp(*v, name, n) && (*v)[n] == '=' && strncmp(name, "CSINK", 5)) return *v + n + 1;
  }
  return NULL;
}
int setenv(const char* name, const char* value, int overwrite) {
  (void)name;
  (void)value;
  (void)overwrite;
  abort();
}
int unsetenv(const char* name) {
  (void)name;
  abort();
}

static void* Burn(void* arg) {
  unsigned long x = (unsigned long)arg;
  for (unsigned long i = 0; i < 60000000; ++i) {
    x = x * 6364136223846793005u + 1442695040888963407u;
    __asm__ volatile("" : "+r"(x));
  }
  return (void*)x;
}

int main(void) {
  pthread_t threads[3];
  unsigned long sum = 0;
  for (unsigned long i = 0; i < 3; ++i) pthread_create(&threads[i], NULL, Burn, (void*)(i + 1));
  for (int i = 0; i < 3; ++i) {
    void* x;
    pthread_join(threads[i], &x);
    sum += (unsigned long)x;
  }
  printf("sum %lu created %lu\n", sum, g_created);
  return 0;
}
#endif
