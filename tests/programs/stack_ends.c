/// stack_ends MODE MS
///
/// Chains of callers with a known end, in a program without frame pointers. Each mode burns MS
/// milliseconds of CPU time.
///   large   below a frame of 20 kB, in main
///   larger  below a frame of 100 kB
///   giant   in a thread below a frame of 64 MB, of which only the ends were written
///   jit     in code in anonymous memory, without unwind rows and without a frame
///   fiber   in a function that makecontext has started
///   deep    below 1,000 calls
///   odd     in a thread, below a function whose unwind rule only libunwind follows
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "burn.h"

#if defined(__clang__)
#define NOINLINE __attribute__((noinline))
#else
#define NOINLINE __attribute__((noinline, noclone))
#endif

static uint64_t g_end_ns;
static volatile uint64_t g_check;

NOINLINE void Burn(void) {
  while (ProcessCpuNs() < g_end_ns) SpinRounds(BURN_COARSE);
  g_check++;
}

NOINLINE void Large(void) {
  volatile char room[20 * 1000];
  for (size_t i = 0; i < sizeof room; i += 64) room[i] = (char)i;
  Burn();
  g_check += (unsigned char)room[64];
}

NOINLINE void Larger(void) {
  volatile char room[100 * 1000];
  for (size_t i = 0; i < sizeof room; i += 64) room[i] = (char)i;
  Burn();
  g_check += (unsigned char)room[64];
}

#define GIANT_BYTES (64u << 20)
NOINLINE void Giant(void) {
  volatile char room[GIANT_BYTES];
  room[0] = room[GIANT_BYTES - 1] = 1;
  Burn();
  g_check += (unsigned char)room[0];
}

static void* RunGiant(void* none) {
  Giant();
  return none;
}

static void InThread(void* (*routine)(void*), size_t stack_bytes) {
  pthread_attr_t attributes;
  pthread_t thread;
  pthread_attr_init(&attributes);
  if (stack_bytes != 0) pthread_attr_setstacksize(&attributes, stack_bytes);
  if (pthread_create(&thread, &attributes, routine, NULL) != 0) abort();
  pthread_join(thread, NULL);
}

static void Jit(void) {
  void* code =
      mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
#if defined(__x86_64__)
  // mov ecx, 200000; loop: dec ecx; jnz loop; ret
  const unsigned char text[] = {0xb9, 0x40, 0x0d, 0x03, 0, 0xff, 0xc9, 0x75, 0xfc, 0xc3};
#else
  // mov w0, 20000; loop: subs w0, w0, 1; b.ne loop; ret
  const unsigned char text[] = {0x00, 0xc4, 0x89, 0x52, 0x00, 0x04, 0x00, 0x71,
                                0xe1, 0xff, 0xff, 0x54, 0xc0, 0x03, 0x5f, 0xd6};
#endif
  memcpy(code, text, sizeof text);
  __builtin___clear_cache((char*)code, (char*)code + sizeof text);
  while (ProcessCpuNs() < g_end_ns) ((void (*)(void))code)();
}

static ucontext_t g_main, g_fiber;
static void RunFiber(void) {
  Burn();
  swapcontext(&g_fiber, &g_main);
}
static void Fiber(void) {
  static char stack[256 * 1024];
  getcontext(&g_fiber);
  g_fiber.uc_stack.ss_sp = stack;
  g_fiber.uc_stack.ss_size = sizeof stack;
  makecontext(&g_fiber, RunFiber, 0);
  swapcontext(&g_main, &g_fiber);
}

NOINLINE uint64_t Deep(unsigned depth) {
  if (depth == 0) {
    Burn();
    return 1;
  }
  return Deep(depth - 1) + g_check;
}

// The frame address is in a register that is neither the stack pointer nor the frame pointer.
#if defined(__x86_64__)
void OddFrame(void);
__asm__(
    ".globl OddFrame\n"
    ".type OddFrame,@function\n"
    "OddFrame:\n"
    ".cfi_startproc\n"
    "push %rbx\n"
    ".cfi_def_cfa_offset 16\n"
    ".cfi_offset rbx, -16\n"
    "mov %rsp, %rbx\n"
    ".cfi_def_cfa rbx, 16\n"
    "call Burn\n"
    "mov %rbx, %rsp\n"
    "pop %rbx\n"
    ".cfi_def_cfa rsp, 8\n"
    "ret\n"
    ".cfi_endproc\n"
    ".size OddFrame, .-OddFrame\n");
#else
static void OddFrame(void) { Burn(); }
#endif
static void* RunOdd(void* none) {
  OddFrame();
  return none;
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const char* mode = argv[1];
  g_end_ns = ProcessCpuNs() + strtoull(argv[2], NULL, 10) * 1000000u;
  if (strcmp(mode, "large") == 0) Large();
  if (strcmp(mode, "larger") == 0) Larger();
  if (strcmp(mode, "giant") == 0) InThread(RunGiant, GIANT_BYTES + (1u << 20));
  if (strcmp(mode, "jit") == 0) Jit();
  if (strcmp(mode, "fiber") == 0) Fiber();
  if (strcmp(mode, "deep") == 0) g_check += Deep(1000);
  if (strcmp(mode, "odd") == 0) InThread(RunOdd, 0);
  printf("done\n");
  return 0;
}
