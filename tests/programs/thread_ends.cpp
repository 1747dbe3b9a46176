// Threads that begin and end in every way there is.   thread_ends MODE MS
// Each of two threads burns MS in Worker and prints "thread TID CPU_NS".
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <sys/mman.h>
#include <threads.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "burn.h"

namespace {

constexpr int kThreads = 2;
unsigned long quota_ms;
sem_t burned;

}  // namespace

// Outside of the namespace: its name is looked up in the report.
__attribute__((noinline)) void Worker() {
  const std::uint64_t begin = ThreadCpuNs();
  BurnMs(quota_ms);
  char line[80];
  const int n = std::snprintf(line, sizeof line, "thread %d %llu\n", Tid(),
                              static_cast<unsigned long long>(ThreadCpuNs() - begin));
  if (write(1, line, static_cast<std::size_t>(n)) != n) std::abort();
  sem_post(&burned);
}

namespace {

void* ByReturn(void*) {
  Worker();
  return nullptr;
}
void* ByPthreadExit(void*) {
  Worker();
  pthread_exit(nullptr);
}
void* ByCancel(void*) {
  Worker();
  for (;;) pause();
}
void* ByRawExit(void*) {
  Worker();
  syscall(SYS_exit, 0);
  return nullptr;
}
int ByThrd(void*) {
  Worker();
  return 0;
}

void Pthreads(void* (*routine)(void*), bool cancel, bool detached) {
  pthread_t threads[kThreads];
  for (pthread_t& t : threads) {
    pthread_create(&t, nullptr, routine, nullptr);
    if (detached) pthread_detach(t);
  }
  for (int i = 0; i < kThreads; ++i) sem_wait(&burned);
  if (detached) {
    usleep(50000);  // time to end before the process does; nothing is asserted about it
    return;
  }
  for (pthread_t t : threads) {
    if (cancel) pthread_cancel(t);
    pthread_join(t, nullptr);
  }
}

void CThreads() {
  thrd_t threads[kThreads];
  for (thrd_t& t : threads) thrd_create(&t, ByThrd, nullptr);
  for (thrd_t t : threads) thrd_join(t, nullptr);
}

void StdThreads() {
  std::thread a(Worker);
  std::thread b(Worker);
  a.join();
  b.join();
}

// The function of a thread that libc knows nothing of: no TLS of its own, so it
// uses nothing of libc that needs one.
int RawThread(void*) {
  const std::uint64_t begin = ThreadCpuNs();
  BurnMs(quota_ms);
  char line[80];
  const int n = std::snprintf(line, sizeof line, "thread %d %llu\n", Tid(),
                              static_cast<unsigned long long>(ThreadCpuNs() - begin));
  syscall(SYS_write, 1, line, n);
  return 0;
}

void RawClone() {
  constexpr std::size_t kStack = 256 << 10;
  char* stack = static_cast<char*>(mmap(nullptr, kStack, PROT_READ | PROT_WRITE,
                                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0));
  static int tid;
  tid = 1;
  const int flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD |
                    CLONE_SYSVSEM | CLONE_CHILD_CLEARTID;
  if (clone(RawThread, stack + kStack, flags, nullptr, nullptr, nullptr, &tid) < 0) std::abort();
  while (__atomic_load_n(&tid, __ATOMIC_ACQUIRE) != 0) {
    syscall(SYS_futex, &tid, FUTEX_WAIT, 1, nullptr, nullptr, 0);
  }
}

// main leaves, the others go on: the process ends with the last of them, status 0.
void MainLeaves() {
  for (int i = 0; i < kThreads; ++i) {
    pthread_t t;
    pthread_create(&t, nullptr, ByReturn, nullptr);
  }
  BurnMs(50);
  pthread_exit(nullptr);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const char* mode = argv[1];
  quota_ms = std::strtoul(argv[2], nullptr, 10);
  sem_init(&burned, 0, 0);
  const auto is = [mode](const char* name) { return std::strcmp(mode, name) == 0; };
  if (is("return")) Pthreads(ByReturn, false, false);
  if (is("pthread_exit")) Pthreads(ByPthreadExit, false, false);
  if (is("cancel")) Pthreads(ByCancel, true, false);
  if (is("detached")) Pthreads(ByReturn, false, true);
  if (is("raw_exit")) Pthreads(ByRawExit, false, false);
  if (is("thrd_create")) CThreads();
  if (is("std_thread")) StdThreads();
  if (is("raw_clone")) RawClone();
  if (is("main_leaves")) MainLeaves();
  return 0;
}
