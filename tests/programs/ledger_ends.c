// One process for the ledger's test: its images, its threads and its end.   ledger_ends MODE MS
#include <pthread.h>
#include <signal.h>
#include <stdint.h>

#include "ledger.h"

// Runs before the constructors of all libraries, that of a preloaded one as well.
static void BeforeConstructors(int argc, char** argv, char** environment) {
  (void)environment;
  if (argc > 2 && strcmp(argv[1], "before_main") == 0) BurnMs(strtoul(argv[2], NULL, 10));
}
__attribute__((section(".preinit_array"), used)) static void (*const kBefore)(int, char**,
                                                                               char**) = BeforeConstructors;

static void Return(void) { Work(quota_ms); }
static void CallExit(void) {
  Work(quota_ms);
  exit(3);
}
static void CallUnderscoreExit(void) {
  Work(quota_ms);
  _exit(3);
}
static void ExitGroup(void) {
  Work(quota_ms);
  syscall(SYS_exit_group, 3);
}
static void Abort(void) {
  Work(quota_ms);
  abort();
}
static void Raise(int number) {
  Work(quota_ms);
  kill(getpid(), number);
}
static void SigKill(void) { Raise(SIGKILL); }
static void SigTerm(void) { Raise(SIGTERM); }
static void Fault(void) {
  Work(quota_ms);
  static int* volatile nowhere = (int*)(uintptr_t)8;
  *nowhere = 1;
}

static void* WorkInThread(void* unused) {
  Work(quota_ms / 2);
  return unused;
}
static void StartThreads(pthread_t* threads, int count) {
  for (int i = 0; i < count; ++i) {
    if (pthread_create(&threads[i], NULL, WorkInThread, NULL) != 0) _exit(97);
  }
}
static void Threads(void) {
  pthread_t threads[3];
  StartThreads(threads, 3);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
}
static void MainLeaves(void) {
  pthread_t threads[2];
  StartThreads(threads, 2);
  pthread_exit(NULL);
}
static void* Forever(void* unused) {
  for (;;) Work(1000);
  return unused;
}
static void ExitBesideThread(void) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, Forever, NULL) != 0) _exit(97);
  Work(quota_ms);
  exit(3);
}

static void ExecTwice(void) {
  Work(quota_ms);
  ExecSelf(Self(), "exec_once", QuotaText());
}
static void ExecOnce(void) {
  Work(quota_ms);
  ExecSelf(Self(), "leaf", QuotaText());
}
static void* ExecInThread(void* unused) {
  ExecTwice();
  return unused;
}
static void ExecFromThread(void) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, ExecInThread, NULL) != 0) _exit(97);
  for (;;) pause();
}

static void WorkAtExit(void) { Work(quota_ms); }
static void AtExit(void) {
  atexit(WorkAtExit);
  exit(3);
}

int main(int argc, char** argv) {
  static const struct Mode kModes[] = {{"return", Return},
                                       {"exit", CallExit},
                                       {"underscore_exit", CallUnderscoreExit},
                                       {"exit_group", ExitGroup},
                                       {"abort", Abort},
                                       {"sigkill", SigKill},
                                       {"sigterm", SigTerm},
                                       {"fault", Fault},
                                       {"threads", Threads},
                                       {"main_leaves", MainLeaves},
                                       {"exit_beside_thread", ExitBesideThread},
                                       {"exec_twice", ExecTwice},
                                       {"exec_once", ExecOnce},
                                       {"exec_from_thread", ExecFromThread},
                                       {"at_exit", AtExit},
                                       {"before_main", Return},
                                       {"leaf", Leaf}};
  return RunModes(argc, argv, kModes, sizeof kModes / sizeof *kModes);
}
