// A small JIT: makes two functions that burn, calls them, and says where they are in
// /tmp/perf-PID.map.   jit MAP US   MAP: "map", "nomap", "late" (at the end), "moved"
// (the code is written twice at one address: the second name is the right one)
// Prints "a_ns N", "b_ns N", "cpu_ns N".
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "burn.h"

typedef void (*Code)(unsigned long);

#if defined(__x86_64__)
// loop: dec %rdi; jnz loop; ret
static const unsigned char kLoop[] = {0x48, 0xff, 0xcf, 0x75, 0xfb, 0xc3};
#elif defined(__aarch64__)
// loop: subs x0, x0, #1; b.ne loop; ret
static const unsigned char kLoop[] = {0x00, 0x04, 0x00, 0xf1, 0xe1, 0xff,
                                      0xff, 0x54, 0xc0, 0x03, 0x5f, 0xd6};
#endif

static uint64_t BurnIn(Code code, unsigned long us) {
  const uint64_t begin = ThreadCpuNs();
  while (ThreadCpuNs() < begin + us * 1000) code(300000);
  return ThreadCpuNs() - begin;
}

static void Tell(FILE* map, const unsigned char* at, const char* name) {
  fprintf(map, "%lx %zx %s\n", (unsigned long)at, sizeof kLoop, name);
  fflush(map);
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const unsigned long us = strtoul(argv[2], NULL, 10);
  unsigned char* memory = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  memcpy(memory, kLoop, sizeof kLoop);
  memcpy(memory + 4096, kLoop, sizeof kLoop);
  mprotect(memory, 8192, PROT_READ | PROT_EXEC);
  __builtin___clear_cache((char*)memory, (char*)memory + 8192);
  char path[64];
  snprintf(path, sizeof path, "/tmp/perf-%d.map", (int)getpid());
  FILE* map = strcmp(argv[1], "nomap") ? fopen(path, "we") : NULL;
  if (map && !strcmp(argv[1], "moved")) Tell(map, memory, "Stale code");
  if (map && strcmp(argv[1], "late")) Tell(map, memory, "First of the JIT");
  const uint64_t a = BurnIn((Code)(void*)memory, us);
  const uint64_t b = BurnIn((Code)(void*)(memory + 4096), us / 2);
  if (map && !strcmp(argv[1], "late")) Tell(map, memory, "First of the JIT");
  if (map) Tell(map, memory + 4096, "Second of the JIT");
  printf("a_ns %llu\nb_ns %llu\ncpu_ns %llu\n", (unsigned long long)a, (unsigned long long)b,
         (unsigned long long)ProcessCpuNs());
  return 0;
}
