// Threads made, named and ended in unusual ways.   thread_ways MODE MS
// Threads that burn MS in Worker print "thread TID CPU_NS"; what else a mode prints is said there.
#include <dlfcn.h>
#include <linux/sched.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include "burn.h"

namespace {

constexpr int kThreads = 2;
unsigned long quota_ms;

void Report(std::uint64_t begin) {
  char line[80];
  const int n = std::snprintf(line, sizeof line, "thread %d %llu\n", Tid(),
                              static_cast<unsigned long long>(ThreadCpuNs() - begin));
  if (write(1, line, static_cast<std::size_t>(n)) != n) std::abort();
}

}  // namespace

__attribute__((noinline)) void Worker() {
  const std::uint64_t begin = ThreadCpuNs();
  BurnMs(quota_ms);
  Report(begin);
}

namespace {

void* Work(void*) {
  Worker();
  return nullptr;
}

void RunThreads(const pthread_attr_t* attributes) {
  pthread_t threads[kThreads];
  for (pthread_t& t : threads) {
    if (pthread_create(&t, attributes, Work, nullptr) != 0) std::abort();
  }
  for (pthread_t t : threads) pthread_join(t, nullptr);
}

void* Nothing(void*) { return nullptr; }

// Prints "stack N": bytes of the smallest stack that a thread which does nothing has touched.
void TinyStack() {
  const std::size_t bytes = static_cast<std::size_t>(PTHREAD_STACK_MIN);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, bytes);
  RunThreads(&attributes);
  auto* stack = static_cast<unsigned char*>(
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0));
  std::memset(stack, 0xa5, bytes);
  pthread_attr_setstack(&attributes, stack, bytes);
  pthread_t t;
  if (pthread_create(&t, &attributes, Nothing, nullptr) != 0) std::abort();
  pthread_join(t, nullptr);
  std::size_t untouched = 0;
  while (untouched < bytes && stack[untouched] == 0xa5) ++untouched;
  std::printf("stack %zu\n", bytes - untouched);
}

// Every key there is in use, each with a destructor: prints "keys N" and "destroyed N".
int destroyed;
void Destroyed(void*) { __atomic_fetch_add(&destroyed, 1, __ATOMIC_RELAXED); }
std::vector<pthread_key_t> all_keys;

void* UseAllKeys(void*) {
  for (pthread_key_t key : all_keys) pthread_setspecific(key, &destroyed);
  Worker();
  for (pthread_key_t key : all_keys) {
    if (pthread_getspecific(key) != &destroyed) std::abort();
  }
  return nullptr;
}

void AllKeys() {
  pthread_key_t key;
  while (pthread_key_create(&key, Destroyed) == 0) all_keys.push_back(key);
  pthread_t threads[kThreads];
  for (pthread_t& t : threads) pthread_create(&t, nullptr, UseAllKeys, nullptr);
  for (pthread_t t : threads) pthread_join(t, nullptr);
  std::printf("keys %zu\ndestroyed %d\n", all_keys.size(), destroyed);
}

// Threads made by the C library's own functions, as a library's wrapper finds them by dlsym of a
// handle. `join_here`: main waits for them by the function that everybody calls.
void PastUs(bool join_here) {
  void* libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
  using Create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  using Join = int (*)(pthread_t, void**);
  const auto create = reinterpret_cast<Create>(dlsym(libc, "pthread_create"));
  const auto join = join_here ? pthread_join : reinterpret_cast<Join>(dlsym(libc, "pthread_join"));
  if (!create || !join) std::exit(77);
  pthread_t threads[kThreads];
  for (pthread_t& t : threads) create(&t, nullptr, Work, nullptr);
  for (pthread_t t : threads) join(t, nullptr);
}

void* NamedLate(void*) {
  Worker();
  pthread_setname_np(pthread_self(), "named-late");
  return nullptr;
}

void LateNames() {
  pthread_t threads[kThreads];
  for (pthread_t& t : threads) pthread_create(&t, nullptr, NamedLate, nullptr);
  for (pthread_t t : threads) pthread_join(t, nullptr);
}

// Thousands of threads that cannot be made: prints "refused N ERROR".
void Refused() {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, std::size_t{1} << 46);
  int refused = 0;
  int error = 0;
  for (int i = 0; i < 10000; ++i) {
    pthread_t t;
    error = pthread_create(&t, &attributes, Nothing, nullptr);
    refused += error != 0;
  }
  std::printf("refused %d %d\n", refused, error);
  RunThreads(nullptr);
}

// By system call alone, the second with clone3. No TLS of their own: nothing of libc but syscall.
[[maybe_unused]] int RawWorker() {
  const std::uint64_t begin = ThreadCpuNs();
  BurnMs(quota_ms);
  Report(begin);
  return 0;
}

int raw_tid;

[[gnu::noinline]] void RawThread([[maybe_unused]] bool clone3) {
#if defined(__x86_64__)
  constexpr std::size_t kStack = 256 << 10;
  auto* stack = static_cast<char*>(mmap(nullptr, kStack, PROT_READ | PROT_WRITE,
                                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0));
  // The child begins at the system call's return: its stack holds where syscall() returns to.
  auto* top = reinterpret_cast<void**>(stack + kStack - 64);
  *top = reinterpret_cast<void*>(+[] {
    RawWorker();
    syscall(SYS_exit, 0);
  });
  const unsigned long flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD |
                              CLONE_SYSVSEM | CLONE_CHILD_CLEARTID;
  raw_tid = 1;
  long r;
  if (clone3) {
    clone_args arguments = {};
    arguments.flags = flags;
    arguments.child_tid = reinterpret_cast<std::uint64_t>(&raw_tid);
    arguments.stack = reinterpret_cast<std::uint64_t>(stack);
    arguments.stack_size = kStack - 64;
    r = syscall(SYS_clone3, &arguments, sizeof arguments);
  } else {
    r = syscall(SYS_clone, flags, top, nullptr, &raw_tid, 0);
  }
  if (r < 0) std::abort();
#endif
}

void RawThreads(bool clone3) {
  RawThread(clone3);
  while (__atomic_load_n(&raw_tid, __ATOMIC_ACQUIRE) != 0) usleep(1000);
}

void Jthreads() {
  std::vector<std::jthread> pool;
  for (int i = 0; i < 4; ++i) pool.emplace_back(Worker);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  quota_ms = std::strtoul(argv[2], nullptr, 10);
  const auto is = [mode = argv[1]](const char* name) { return std::strcmp(mode, name) == 0; };
  if (is("tiny_stack")) TinyStack();
  if (is("all_keys")) AllKeys();
  if (is("late_names")) LateNames();
  if (is("refused")) Refused();
  if (is("raw_clone")) RawThreads(false);
  if (is("raw_clone3")) RawThreads(true);
  if (is("jthreads")) Jthreads();
  if (is("past_us")) PastUs(true);
  if (is("past_us_unseen")) PastUs(false);
  if (is("early")) {
    const auto go = reinterpret_cast<void (*)()>(dlsym(RTLD_DEFAULT, "EarlyGo"));
    const auto wait = reinterpret_cast<void (*)()>(dlsym(RTLD_DEFAULT, "EarlyWait"));
    if (!go || !wait) return 4;
    go();
    RunThreads(nullptr);
    wait();
  }
  return 0;
}
