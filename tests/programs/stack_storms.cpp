/// stack_storms MODE MS [PLUGIN]
///
/// Stacks on which walkers fall: each mode burns MS milliseconds of CPU time on them and ends with
/// "done CHECK".
///   smashed    frame pointers and return addresses overwritten with rubbish, put back before the
///   return jit        code in anonymous memory, without tables signal     a handler burns, half
///   the time on an alternate stack jumps      setjmp and longjmp out of depth coroutines two
///   contexts that swap edge       recursion to the end of the stack, caught on an alternate one
///   tiny       threads with the smallest stacks
///   throws     exceptions through 20 frames, while another thread loads and unloads PLUGIN
#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <ucontext.h>

#include <atomic>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

extern "C" {
#include "burn.h"
}

#if defined(__clang__)
#define NOINLINE __attribute__((noinline))
#else
#define NOINLINE __attribute__((noinline, noclone))
#endif

namespace {

std::uint64_t g_end_ns;
volatile std::uint64_t g_check;
volatile int g_never = 0;

bool Goes() { return ProcessCpuNs() < g_end_ns; }

NOINLINE void Smash(std::uint64_t rubbish) {
  void* volatile* frame = static_cast<void* volatile*>(__builtin_frame_address(0));
  void* kept[2] = {frame[0], frame[1]};
  frame[0] = reinterpret_cast<void*>(rubbish);
  frame[1] = reinterpret_cast<void*>(rubbish * 3);
  SpinRounds(BURN_FINE);
  frame[0] = kept[0];
  frame[1] = kept[1];
}
void Smashed() {
  static std::uint64_t rubbish[] = {0,
                                    1,
                                    0x4141414141414141,
                                    ~0ull,
                                    8,
                                    reinterpret_cast<std::uint64_t>(&g_check),
                                    0x7fffffffffff,
                                    0xffff800000000000};
  for (unsigned i = 0; Goes(); ++i) Smash(rubbish[i % 8] + (i / 8) * 16);
}

void Jit() {
  void* code =
      mmap(nullptr, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
#if defined(__x86_64__)
  // push rbp; mov rbp, rsp; mov ecx, 20000; loop: dec ecx; jnz loop; pop rbp; ret
  const unsigned char text[] = {0x55, 0x48, 0x89, 0xe5, 0xb9, 0x20, 0x4e, 0,
                                0,    0xff, 0xc9, 0x75, 0xfc, 0x5d, 0xc3};
#else
  // mov w0, 20000; loop: subs w0, w0, 1; b.ne loop; ret
  const unsigned char text[] = {0x00, 0xc4, 0x89, 0x52, 0x00, 0x04, 0x00, 0x71,
                                0xe1, 0xff, 0xff, 0x54, 0xc0, 0x03, 0x5f, 0xd6};
#endif
  std::memcpy(code, text, sizeof text);
  __builtin___clear_cache(static_cast<char*>(code), static_cast<char*>(code) + sizeof text);
  while (Goes()) {
    reinterpret_cast<void (*)()>(code)();
    g_check = g_check + 1;
  }
}

extern "C" NOINLINE void BurnInHandler(int) {
  for (int i = 0; i < 20; ++i) SpinRounds(BURN_FINE);
  g_check = g_check + 1;
}
NOINLINE void RaiseOne(int number) {
  syscall(SYS_tgkill, getpid(), Tid(), number);
  g_check = g_check + 1;
}
void Signals() {
  static char stack[64 * 1024];
  stack_t alternate = {};
  alternate.ss_sp = stack;
  alternate.ss_size = sizeof stack;
  sigaltstack(&alternate, nullptr);
  struct sigaction action = {};
  action.sa_handler = BurnInHandler;
  sigaction(SIGUSR1, &action, nullptr);
  action.sa_flags = SA_ONSTACK;
  sigaction(SIGUSR2, &action, nullptr);
  while (Goes()) {
    RaiseOne(SIGUSR1);
    RaiseOne(SIGUSR2);
  }
}

jmp_buf g_jump;
NOINLINE void Deeper(int depth) {
  char room[64];
  std::memset(room, depth, sizeof room);
  g_check = g_check + static_cast<unsigned char>(room[depth % 64]);
  if (depth == 0 && !g_never) longjmp(g_jump, 1);
  if (depth < 0) return;
  Deeper(depth - 1);
  g_check = g_check + 1;
}
void Jumps() {
  while (Goes()) {
    static int depth = 0;
    depth = (depth + 1) % 50;
    if (setjmp(g_jump) == 0) Deeper(depth);
  }
}

ucontext_t g_contexts[3];
void Coroutine(int self) {
  for (;;) {
    SpinRounds(BURN_FINE);
    swapcontext(&g_contexts[self], &g_contexts[Goes() ? 3 - self : 0]);
  }
}
void Coroutines() {
  static char stacks[2][64 * 1024];
  for (int i = 1; i <= 2; ++i) {
    getcontext(&g_contexts[i]);
    g_contexts[i].uc_stack.ss_sp = stacks[i - 1];
    g_contexts[i].uc_stack.ss_size = sizeof stacks[0];
    makecontext(&g_contexts[i], reinterpret_cast<void (*)()>(Coroutine), 1, i);
  }
  swapcontext(&g_contexts[0], &g_contexts[1]);
}

sigjmp_buf g_back;
void OnFault(int) {
  g_check = g_check + 1;
  siglongjmp(g_back, 1);
}
NOINLINE std::uint64_t Endless(std::uint64_t depth) {
  volatile char room[256];
  room[depth % 256] = static_cast<char>(depth);
  SpinRounds(50);
  if (g_never) return depth;
  const std::uint64_t below = Endless(depth + 1);
  return below + static_cast<unsigned char>(room[depth % 256]);
}
void Edge() {
  static char stack[64 * 1024];
  stack_t alternate = {};
  alternate.ss_sp = stack;
  alternate.ss_size = sizeof stack;
  sigaltstack(&alternate, nullptr);
  struct sigaction action = {};
  action.sa_handler = OnFault;
  action.sa_flags = SA_ONSTACK;
  sigaction(SIGSEGV, &action, nullptr);
  while (Goes()) {
    if (sigsetjmp(g_back, 1) == 0) g_check = g_check + Endless(0);
  }
}

void* BurnALittle(void*) {
  BurnShortUs(2000);
  return nullptr;
}
void Tiny() {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, static_cast<std::size_t>(PTHREAD_STACK_MIN));
  while (Goes()) {
    pthread_t threads[4];
    for (pthread_t& thread : threads) pthread_create(&thread, &attributes, BurnALittle, nullptr);
    for (const pthread_t thread : threads) pthread_join(thread, nullptr);
  }
}

NOINLINE int Throw(int depth) {
  const std::string cleaned(20, 'x');
  if (depth == 0) throw depth;
  return Throw(depth - 1) + static_cast<int>(cleaned.size());
}
std::atomic<bool> g_stop{false};
void* LoadAndUnload(void* plugin) {
  while (!g_stop) {
    void* library = dlopen(static_cast<const char*>(plugin), RTLD_NOW | RTLD_LOCAL);
    if (!library) std::abort();
    dlclose(library);
    g_check = g_check + 1;
  }
  return nullptr;
}
void Throws(const char* plugin) {
  pthread_t loader;
  pthread_create(&loader, nullptr, LoadAndUnload, const_cast<char*>(plugin));
  while (Goes()) {
    try {
      Throw(20);
    } catch (int) {
      g_check = g_check + 1;
    }
  }
  g_stop = true;
  pthread_join(loader, nullptr);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const std::string mode = argv[1];
  g_end_ns = ProcessCpuNs() + std::strtoull(argv[2], nullptr, 10) * 1000000u;
  if (mode == "smashed") Smashed();
  if (mode == "jit") Jit();
  if (mode == "signal") Signals();
  if (mode == "jumps") Jumps();
  if (mode == "coroutines") Coroutines();
  if (mode == "edge") Edge();
  if (mode == "tiny") Tiny();
  if (mode == "throws" && argc > 3) Throws(argv[3]);
  std::printf("done %d\n",
              g_check != 0 || mode == "smashed" || mode == "coroutines" || mode == "tiny");
}
