// Burns until it is killed and keeps its CPU time where the killer can read it.
//   chaos KIND FILE [PLUGIN]
// KIND: single, threads, tree, plugins, short_threads.
// FILE is an array of struct Account, one for each process, in order of their birth.
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "burn.h"

struct Account {
  uint64_t pid;
  uint64_t cpu_ns;   ///< User and system CPU time of all threads, by their own clocks
  uint64_t gaps_ns;  ///< Of it, what went by while a loop of 0.3 ms took 1 ms longer: stolen
};
enum { kAccounts = 512 };

static struct Account* accounts;
static struct Account* own;

static void OpenAccount(void) {
  // The slot behind the last one counts the processes.
  const uint64_t i = __atomic_fetch_add(&accounts[kAccounts].pid, 1, __ATOMIC_SEQ_CST);
  own = &accounts[i < kAccounts ? i : kAccounts - 1];
  own->pid = (uint64_t)getpid();
}

// Until `end_ns` of the thread's CPU clock; keeps the account after each round.
__attribute__((noinline)) static void Work(uint64_t end_ns) {
  uint64_t before = ThreadCpuNs();
  while (before < end_ns) {
    SpinRounds(BURN_COARSE);
    const uint64_t now = ThreadCpuNs();
    __atomic_fetch_add(&own->cpu_ns, now - before, __ATOMIC_RELAXED);
    if (now - before > 1500000) {
      __atomic_fetch_add(&own->gaps_ns, now - before - 300000, __ATOMIC_RELAXED);
    }
    before = now;
  }
}

static const uint64_t kForEver = 20000000000u;

static void* WorkForEver(void* unused) {
  Work(kForEver);
  return unused;
}

static void Threads(void) {
  for (int i = 1; i < 4; ++i) {
    pthread_t thread;
    pthread_create(&thread, NULL, WorkForEver, NULL);
  }
  Work(kForEver);
}

// Two children at a time, of 120 ms each.
static void Tree(void) {
  for (int i = 0; i < 200; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      OpenAccount();
      Work(ThreadCpuNs() + 120000000);
      _exit(0);
    }
    Work(ThreadCpuNs() + 40000000);
    while (waitpid(-1, NULL, i % 2 ? 0 : WNOHANG) > 0) {
    }
  }
}

static void Plugins(const char* plugin) {
  for (;;) {
    void* handle = dlopen(plugin, RTLD_NOW | RTLD_LOCAL);
    if (!handle) exit(5);
    Work(ThreadCpuNs() + 2000000);
    dlclose(handle);
  }
}

static void* ShortWork(void* unused) {
  Work(5000000);
  return unused;
}
static void ShortThreads(void) {
  for (;;) {
    pthread_t threads[4];
    for (int i = 0; i < 4; ++i) pthread_create(&threads[i], NULL, ShortWork, NULL);
    for (int i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
  }
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const size_t bytes = (kAccounts + 1) * sizeof(struct Account);
  const int fd = open(argv[2], O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0 || ftruncate(fd, (off_t)bytes) != 0) return 3;
  accounts = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  OpenAccount();
  if (strcmp(argv[1], "single") == 0) Work(kForEver);
  if (strcmp(argv[1], "threads") == 0) Threads();
  if (strcmp(argv[1], "tree") == 0) Tree();
  if (strcmp(argv[1], "plugins") == 0 && argc > 3) Plugins(argv[3]);
  if (strcmp(argv[1], "short_threads") == 0) ShortThreads();
  return 4;
}
