// A program with an allocator of its own that looks functions up and makes threads' keys in
// its first call, as some do: dlsym, pthread_mutex, pthread_key, getenv, sysconf, sigprocmask.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char g_pool[256 << 20] __attribute__((aligned(4096)));
static size_t g_used;
static int g_state;  // 0: untouched, 1: being set up, 2: ready
static pthread_mutex_t g_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_key_t g_key;
static int (*g_create)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
static volatile unsigned long g_calls;

static void* Background(void* unused) { return unused; }

static void SetUp(void) {
  g_state = 1;
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_BLOCK, &none, NULL);
  pthread_key_create(&g_key, NULL);
  g_create = (int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*))dlsym(
      RTLD_DEFAULT, "pthread_create");
  if (getenv("OWN_MALLOC_VERBOSE")) g_calls += (unsigned long)sysconf(_SC_PAGESIZE);
  g_state = 2;
}

static void* Take(size_t align, size_t bytes) {
  if (g_state == 0) SetUp();
  if (g_state == 2) pthread_mutex_lock(&g_lock);
  size_t at = (g_used + 16 + align - 1) & ~(align - 1);
  void* result = NULL;
  if (at + bytes <= sizeof g_pool) {
    result = g_pool + at;
    memcpy(g_pool + at - 8, &bytes, 8);
    g_used = at + bytes;
  }
  if (g_state == 2) pthread_mutex_unlock(&g_lock);
  ++g_calls;
  if (!result) errno = ENOMEM;
  return result;
}

void* malloc(size_t bytes) { return Take(16, bytes); }
void free(void* p) { (void)p; }
void* calloc(size_t n, size_t bytes) { return Take(16, n * bytes); }
void* memalign(size_t align, size_t bytes) { return Take(align, bytes); }
void* aligned_alloc(size_t align, size_t bytes) { return Take(align, bytes); }
int posix_memalign(void** p, size_t align, size_t bytes) {
  *p = Take(align, bytes);
  return *p ? 0 : ENOMEM;
}
void* realloc(void* old, size_t bytes) {
  void* p = Take(16, bytes);
  if (!p || !old) return p;
  size_t before;
  memcpy(&before, (char*)old - 8, 8);
  return memcpy(p, old, before < bytes ? before : bytes);
}

static void* Burn(void* arg) {
  unsigned long x = (unsigned long)arg;
  for (int i = 0; i < 60000; ++i) {
    char* text = malloc(x % 60 + 1);
    for (int k = 0; k < 1500; ++k) x = x * 6364136223846793005u + 1442695040888963407u;
    text[0] = (char)x;
    free(text);
  }
  return (void*)x;
}

int main(void) {
  pthread_t threads[3];
  unsigned long sum = 0;
  void* volatile first = malloc(1);  // the library calls it no earlier
  free(first);
  g_create(&threads[0], NULL, Background, NULL);
  pthread_join(threads[0], NULL);
  for (unsigned long i = 0; i < 3; ++i) g_create(&threads[i], NULL, Burn, (void*)(i + 1));
  for (int i = 0; i < 3; ++i) {
    void* x;
    pthread_join(threads[i], &x);
    sum += (unsigned long)x;
  }
  printf("sum %lu\n", sum);
  return 0;
}
