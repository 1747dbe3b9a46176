/// callers MODE MS [DEPTH]
///
/// Who called whom is known: each mode burns MS milliseconds of CPU time below functions with
/// names, in shares that it prints as `share FUNCTION NS`.
///   frames      Ping burns below CallPing, Pong below CallPong (twice as long)
///   memcpy, strlen, malloc    the C library, called by a ...Left and (twice as often) a ...Right
///   deep        Recurse calls itself DEPTH times, then burns
///   odd         code whose unwind table names a register that compilers do not use (x86-64)
///   threads     two threads, LeftRoutine and RightRoutine, call Ping
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#if defined(__clang__)
#define NOINLINE __attribute__((noinline))
#else
#define NOINLINE __attribute__((noinline, noclone))
#endif

static uint64_t CpuNs(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static volatile uint64_t g_sink;
static char g_from[1 << 16];
static char g_to[1 << 16];
static void* volatile g_kept[128];

NOINLINE static uint64_t Spin(uint64_t x) {
  for (int i = 0; i < 20000; ++i) {
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
  }
  return x;
}

// The additions behind the calls keep the compiler from turning them into jumps.
NOINLINE static uint64_t Ping(void) { return Spin(1) + 1; }
NOINLINE static uint64_t Pong(void) { return Spin(2) + 2; }
NOINLINE static void CallPing(void) { g_sink += Ping() + 3; }
NOINLINE static void CallPong(void) {
  g_sink += Pong() + 4;
  g_sink += Pong() + 5;
}

NOINLINE static void CopyLeft(void) {
  memcpy(g_to, g_from, sizeof g_from - 64);
  g_sink += (unsigned char)g_to[77];
}
NOINLINE static void CopyRight(void) {
  memcpy(g_to + 1, g_from, sizeof g_from - 64);
  memcpy(g_to + 2, g_from, sizeof g_from - 64);
  g_sink += (unsigned char)g_to[78];
}
NOINLINE static void MeasureLeft(void) {
  g_sink += strlen(g_from);
  g_sink += 1;
}
NOINLINE static void MeasureRight(void) {
  g_sink += strlen(g_from + 1);
  g_sink += strlen(g_from + 2);
}
NOINLINE static void AllocateLeft(void) {
  for (int i = 0; i < 64; ++i) g_kept[i] = malloc(2000 + 400 * (size_t)i);
  for (int i = 0; i < 64; ++i) free(g_kept[i]);
  g_sink += 1;
}
NOINLINE static void AllocateRight(void) {
  for (int i = 0; i < 128; ++i) g_kept[i] = malloc(2008 + 400 * (size_t)i);
  for (int i = 0; i < 128; ++i) free(g_kept[i]);
  g_sink += 2;
}

NOINLINE static uint64_t Recurse(unsigned depth) {
  if (depth == 0) return Spin(3) + 1;
  const uint64_t below = Recurse(depth - 1);
  __asm__ volatile("" ::: "memory");  // not a loop
  return below ^ depth;
}

#if defined(__x86_64__)
// The stack is aligned, and its former top kept in rbx: the table says so.
void OddFrame(void);
__asm__(
    ".text\n.type OddFrame, @function\nOddFrame:\n.cfi_startproc\n"
    "pushq %rbx\n.cfi_adjust_cfa_offset 8\n.cfi_rel_offset rbx, 0\n"
    "movq %rsp, %rbx\n.cfi_def_cfa_register rbx\n"
    "subq $64, %rsp\nandq $-64, %rsp\nmovl $30000, %ecx\n"
    "1: decl %ecx\njnz 1b\n"
    "movq %rbx, %rsp\n.cfi_def_cfa_register rsp\n"
    "popq %rbx\n.cfi_adjust_cfa_offset -8\n.cfi_restore rbx\nret\n"
    ".cfi_endproc\n.size OddFrame, .-OddFrame\n");
#else
static void OddFrame(void) { g_sink += Spin(4); }
#endif
NOINLINE static void OddLeft(void) {
  OddFrame();
  g_sink += 1;
}
NOINLINE static void OddRight(void) {
  OddFrame();
  OddFrame();
  g_sink += 2;
}

static uint64_t g_budget_ns;

static void Repeat(const char* left_name, void (*left)(void), const char* right_name,
                   void (*right)(void)) {
  uint64_t left_ns = 0;
  uint64_t right_ns = 0;
  const uint64_t begin = CpuNs();
  uint64_t now = begin;
  while (now - begin < g_budget_ns) {
    left();
    const uint64_t middle = CpuNs();
    right();
    left_ns += middle - now;
    now = CpuNs();
    right_ns += now - middle;
  }
  printf("share %s %llu\nshare %s %llu\n", left_name, (unsigned long long)left_ns, right_name,
         (unsigned long long)right_ns);
}

NOINLINE static void* LeftRoutine(void* arg) {
  const uint64_t begin = CpuNs();
  while (CpuNs() - begin < g_budget_ns) g_sink += Ping() + 3;
  return arg;
}
NOINLINE static void* RightRoutine(void* arg) {
  const uint64_t begin = CpuNs();
  while (CpuNs() - begin < g_budget_ns) g_sink += Ping() + 3;
  return arg;
}

static void Threads(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, LeftRoutine, NULL);
  pthread_create(&threads[1], NULL, RightRoutine, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
}

static void Deep(unsigned depth) {
  const uint64_t begin = CpuNs();
  while (CpuNs() - begin < g_budget_ns) g_sink += Recurse(depth) + 1;
}

int main(int argc, char** argv) {
  if (argc < 3) {
    fprintf(stderr, "usage: %s MODE MS [DEPTH]\n", argv[0]);
    return 2;
  }
  const char* mode = argv[1];
  g_budget_ns = strtoull(argv[2], NULL, 10) * 1000000u;
  memset(g_from, 'x', sizeof g_from - 1);
  if (strcmp(mode, "frames") == 0) Repeat("CallPing", CallPing, "CallPong", CallPong);
  if (strcmp(mode, "memcpy") == 0) Repeat("CopyLeft", CopyLeft, "CopyRight", CopyRight);
  if (strcmp(mode, "strlen") == 0) Repeat("MeasureLeft", MeasureLeft, "MeasureRight", MeasureRight);
  if (strcmp(mode, "malloc") == 0) {
    Repeat("AllocateLeft", AllocateLeft, "AllocateRight", AllocateRight);
  }
  if (strcmp(mode, "odd") == 0) Repeat("OddLeft", OddLeft, "OddRight", OddRight);
  if (strcmp(mode, "deep") == 0) Deep(argc > 3 ? (unsigned)strtoul(argv[3], NULL, 10) : 10);
  if (strcmp(mode, "threads") == 0) Threads();
  return 0;
}
