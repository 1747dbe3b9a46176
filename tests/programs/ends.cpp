// Burns MS in Work and then ends in one of the ways that nobody can plan for.
//   ends MODE [MS [THREADS]] | ends --modes
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <stdexcept>

#include "burn.h"

namespace {

unsigned long quota_ms = 300;
[[gnu::noinline]] void Work(unsigned long ms) { BurnMs(ms); }
void Burn() { Work(quota_ms); }

// --- C++ ------------------------------------------------------------------------------

void Terminate() { std::terminate(); }
void Uncaught() { throw std::runtime_error("nobody catches this"); }
void UncaughtInThread() {
  pthread_t thread;
  pthread_create(
      &thread, nullptr, [](void*) -> void* { throw 1; }, nullptr);
  pthread_join(thread, nullptr);
}
void OutOfNoexcept() noexcept { Uncaught(); }

// --- memory -----------------------------------------------------------------------------

[[gnu::noinline]] void Fill(volatile char* at, int bytes) {
  for (int i = 0; i < bytes; ++i) at[i] = 'x';
}

[[gnu::noinline]] void SmashedStack() {
  // The return address and all above it, and the stack pointer with them.
  volatile char small[8];
  Fill(small, 4096);
}
void NoStackAtAll() {
#if defined(__x86_64__)
  __asm__ volatile("xor %%rsp, %%rsp\n\tpush %%rax" ::: "memory");
#else
  __asm__ volatile("mov x9, #0\n\tmov sp, x9\n\tstr x0, [sp, #-16]!" ::: "memory", "x9");
#endif
}
void SmashedHeap() {
  char* volatile a = static_cast<char*>(malloc(24));
  char* volatile b = static_cast<char*>(malloc(2000));
  Fill(a, 64);
  free(b);
  free(a);
  for (int i = 0; i < 100; ++i) free(malloc(3000 + i));
}
void DoubleFree() {
  void* volatile a = malloc(5000);
  free(a);
  free(a);
}
volatile bool endless = true;
[[gnu::noinline]] int Deep(int n) {
  volatile char page[4096];
  page[0] = static_cast<char>(n);
  const int r = endless ? Deep(n + 1) : 0;
  return r + page[0];
}
int* volatile nowhere = reinterpret_cast<int*>(8);
void StackOverflow() { Deep(0); }
void StackOverflowInThread() {
  pthread_t thread;
  pthread_create(
      &thread, nullptr,
      [](void*) -> void* {
        Deep(0);
        return nullptr;
      },
      nullptr);
  pthread_join(thread, nullptr);
}
void Mapped(off_t bytes) {
  FILE* file = tmpfile();
  auto* at = static_cast<char*>(
      mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(file), bytes));
  *static_cast<volatile char*>(at) = 1;
}
void BusError() { Mapped(0); }
void NoMemory() {
  const rlimit space = {1ul << 28, 1ul << 28};
  setrlimit(RLIMIT_AS, &space);
  for (;;) memset(::operator new(1 << 20), 1, 1 << 20);
}
// Until the kernel's own killer comes: only to be run in a group with a limit.
void EatMemory() {
  for (int i = 0; i < 1024; ++i) memset(malloc(1 << 20), 1, 1 << 20);
}

// --- signals at their default action --------------------------------------------------------

template <int kSignal>
void Default() {
  kill(getpid(), kSignal);
  pause();
}
void RealTimeSignal() { raise(SIGRTMIN + 7); }
void CpuLimit() {
  const rlimit seconds = {1, 2};
  setrlimit(RLIMIT_CPU, &seconds);
  Work(5000);
}
void Pipe() {
  int ends[2];
  if (pipe(ends) == 0 && close(ends[0]) == 0 && write(ends[1], "x", 1) < 0) _exit(9);
}
void DivideByZero() {
  volatile int zero = 0;
  volatile int one = 1;
  volatile int result = one / zero;
  (void)result;
}
void Illegal() { __builtin_trap(); }

// --- handlers of the program's own ------------------------------------------------------------

constexpr int kHandled[] = {SIGSEGV, SIGABRT, SIGTERM, SIGINT, SIGQUIT, SIGFPE, SIGILL, SIGBUS};
jmp_buf out;
alignas(64) char signal_stack[64 * 1024];

void HandleAll(void (*handler)(int), int flags) {
  stack_t stack = {};
  stack.ss_sp = signal_stack;
  stack.ss_size = sizeof signal_stack;
  sigaltstack(&stack, nullptr);
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = SA_ONSTACK | flags;
  for (const int signal : kHandled) sigaction(signal, &action, nullptr);
}
template <int kSignal>
void HandlerExits() {
  HandleAll([](int) { exit(5); }, 0);
  raise(kSignal);
}
template <int kSignal>
void Handler_Exits() {
  HandleAll([](int) { _exit(6); }, 0);
  raise(kSignal);
}
template <int kSignal>
void HandlerRaisesAgain() {
  HandleAll(
      [](int number) {
        signal(number, SIG_DFL);
        raise(number);
      },
      0);
  raise(kSignal);
}
void HandlerReturnsAndFaultsAgain() {
  HandleAll([](int) {}, static_cast<int>(SA_RESETHAND));
  *nowhere = 1;
}
template <int kSignal>
void JumpsOut() {
  HandleAll([](int) { longjmp(out, 1); }, SA_NODEFER);
  static int rounds;
  while (++rounds <= 3) {
    if (setjmp(out) == 0) raise(kSignal);
    Work(quota_ms / 10);
  }
  exit(4);
}
void OverflowHandled() {
  HandleAll([](int) { _exit(6); }, 0);
  Deep(0);
}
void AbortJumpsOut() {
  HandleAll([](int) { longjmp(out, 1); }, SA_NODEFER);
  if (setjmp(out) == 0) abort();
  Work(quota_ms);
  exit(4);
}

// --- the kernel's own way out --------------------------------------------------------------

// Not through libc's syscall(), which can be seen.
void InlineExitGroup() {
#if defined(__x86_64__)
  __asm__ volatile("syscall" ::"a"(SYS_exit_group), "D"(3) : "rcx", "r11", "memory");
#else
  register long x8 __asm__("x8") = SYS_exit_group;
  register long x0 __asm__("x0") = 3;
  __asm__ volatile("svc #0" ::"r"(x8), "r"(x0) : "memory");
#endif
}
void ThreadEndsAll() {
  pthread_t thread;
  pthread_create(
      &thread, nullptr,
      [](void*) -> void* {
        InlineExitGroup();
        return nullptr;
      },
      nullptr);
  for (;;) pause();
}
void MainGoesThenKilled() {
  pthread_t thread;
  pthread_create(
      &thread, nullptr,
      [](void*) -> void* {
        Work(quota_ms);
        kill(getpid(), SIGKILL);
        return nullptr;
      },
      nullptr);
  pthread_exit(nullptr);
}

constexpr struct {
  const char* name;
  void (*run)();
} kModes[] = {
    {"terminate", Terminate},
    {"uncaught", Uncaught},
    {"uncaught_in_thread", UncaughtInThread},
    {"out_of_noexcept", OutOfNoexcept},
    {"smashed_stack", SmashedStack},
    {"no_stack_at_all", NoStackAtAll},
    {"smashed_heap", SmashedHeap},
    {"double_free", DoubleFree},
    {"stack_overflow", StackOverflow},
    {"stack_overflow_in_thread", StackOverflowInThread},
    {"bus_error", BusError},
    {"no_memory", NoMemory},
    {"sigkill", Default<SIGKILL>},
    {"sighup", Default<SIGHUP>},
    {"sigquit", Default<SIGQUIT>},
    {"sigusr1", Default<SIGUSR1>},
    {"sigalrm", Default<SIGALRM>},
    {"sigprof", Default<SIGPROF>},
    {"sigtrap", Default<SIGTRAP>},
    {"sigsys", Default<SIGSYS>},
    {"sigio", Default<SIGIO>},
    {"real_time", RealTimeSignal},
    {"cpu_limit", CpuLimit},
    {"broken_pipe", Pipe},
    {"divide_by_zero", DivideByZero},
    {"illegal", Illegal},
    {"handler_exits_on_segv", HandlerExits<SIGSEGV>},
    {"handler_exits_on_term", HandlerExits<SIGTERM>},
    {"handler_exits_on_abrt", HandlerExits<SIGABRT>},
    {"handler__exits_on_int", Handler_Exits<SIGINT>},
    {"handler__exits_on_segv", Handler_Exits<SIGSEGV>},
    {"raises_again_term", HandlerRaisesAgain<SIGTERM>},
    {"raises_again_int", HandlerRaisesAgain<SIGINT>},
    {"raises_again_segv", HandlerRaisesAgain<SIGSEGV>},
    {"raises_again_abrt", HandlerRaisesAgain<SIGABRT>},
    {"faults_again", HandlerReturnsAndFaultsAgain},
    {"jumps_out_of_segv", JumpsOut<SIGSEGV>},
    {"jumps_out_of_term", JumpsOut<SIGTERM>},
    {"overflow_handled", OverflowHandled},
    {"abort_jumps_out", AbortJumpsOut},
    {"inline_exit_group", InlineExitGroup},
    {"thread_ends_all", ThreadEndsAll},
    {"main_goes_then_killed", MainGoesThenKilled},
};

void* BurnInThread(void*) {
  Burn();
  return nullptr;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  if (argc > 2) quota_ms = std::strtoul(argv[2], nullptr, 10);
  const int threads = argc > 3 ? std::atoi(argv[3]) : 0;
  const bool list = std::strcmp(argv[1], "--modes") == 0;
  if (std::strcmp(argv[1], "eat_memory") == 0) {
    Burn();
    EatMemory();
    return 0;
  }
  for (const auto& mode : kModes) {
    if (list) std::puts(mode.name);
    if (std::strcmp(mode.name, argv[1]) != 0) continue;
    pthread_t thread;
    for (int i = 0; i < threads; ++i) pthread_create(&thread, nullptr, BurnInThread, nullptr);
    Burn();
    if (threads > 0) pthread_join(thread, nullptr);
    mode.run();
    return 7;
  }
  return list ? 0 : 2;
}
