// Processes for the ledger's test, made in each way that there is.   ledger_children MODE MS
// The parent burns half of MS, each child burns MS.
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <sys/ptrace.h>

#include "ledger.h"

extern char** environ;

static void Fork(void) {
  for (int i = 0; i < 2; ++i) {
    if (fork() == 0) Leaf();
  }
  Work(quota_ms / 2);
  WaitForAll();
}
static void* ForkInThread(void* unused) {
  Fork();
  return unused;
}
static void ForkFromThread(void) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, ForkInThread, NULL) != 0) _exit(97);
  pthread_join(thread, NULL);
}
static void Nest(int depth) {
  Work(quota_ms / 4);
  if (depth > 0 && fork() == 0) {
    Nest(depth - 1);
    _exit(0);
  }
  WaitForAll();
}
static void Nested(void) { Nest(4); }

// Nobody waits: the parent is told of the end by a pipe that all processes have open.
static void FollowedBy(void (*child)(void)) {
  int ends[2];
  if (pipe(ends) != 0) _exit(97);
  Work(quota_ms / 2);
  if (fork() == 0) child();
  close(ends[1]);
  char byte;
  while (read(ends[0], &byte, 1) > 0) {
  }
}
static void SaidLeaf(void) {
  Work(quota_ms);
  SayNobodyWaits();
  _exit(0);
}
static void ForkSaidLeaf(void) {
  if (fork() == 0) SaidLeaf();
  _exit(0);
}
static void Unwaited(void) {
  signal(SIGCHLD, SIG_IGN);
  FollowedBy(SaidLeaf);
}
static void Daemon(void) {
  FollowedBy(ForkSaidLeaf);
  WaitForAll();
}

static void VforkExit(void) {
  Work(quota_ms / 2);
  if (vfork() == 0) {
    ChildWork(quota_ms);
    _exit(0);
  }
  WaitForAll();
}
static void VforkExec(void) {
  const char *path = Self(), *ms = QuotaText();
  Work(quota_ms / 2);
  if (vfork() == 0) {
    ChildWork(quota_ms);
    ExecSelf(path, "leaf", ms);
  }
  WaitForAll();
}
static const char *clone_path, *clone_ms;
static int CloneChild(void* unused) {
  (void)unused;
  ChildWork(quota_ms);
  ExecSelf(clone_path, "leaf", clone_ms);
  return 0;
}
static void CloneVm(void) {
  static char stack[1 << 18] __attribute__((aligned(16)));
  clone_path = Self(), clone_ms = QuotaText();
  Work(quota_ms / 2);
  if (clone(CloneChild, stack + sizeof stack, CLONE_VM | CLONE_VFORK | SIGCHLD, NULL) < 0) _exit(97);
  WaitForAll();
}
static void StartLeaf(const char* ms) {
  char* argv[] = {(char*)Self(), (char*)"leaf", (char*)ms, NULL};
  pid_t child;
  if (posix_spawn(&child, argv[0], NULL, NULL, argv, environ) != 0) _exit(97);
}
static void Spawn(void) {
  StartLeaf(QuotaText());
  Work(quota_ms / 2);
  WaitForAll();
}
static void Short(void) {
  for (int i = 0; i < 100; ++i) {
    StartLeaf("0");
    WaitForAll();
  }
}

static void RunShell(const char* form) {
  char command[3 * PATH_MAX];
  snprintf(command, sizeof command, form, Self(), quota_ms, Self(), quota_ms);
  Work(quota_ms / 2);
  if (system(command) != 0) _exit(97);
}
static void System(void) { RunShell("%s leaf %lu"); }
static void Pipeline(void) { RunShell("%s leaf %lu | %s leaf %lu"); }

static void KilledChild(void) {
  Work(quota_ms / 2);
  if (fork() == 0) {
    Work(quota_ms);
    kill(getpid(), SIGKILL);
  }
  WaitForAll();
}
static void* BurnInThread(void* unused) {
  Work(quota_ms);
  return unused;
}
// strace -f in small: the waits of the tracer return the ends of a thread and of the child's child.
static void Traced(void) {
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    ptrace(PTRACE_TRACEME, 0, NULL, NULL);
    raise(SIGSTOP);
    pthread_t thread;
    if (pthread_create(&thread, NULL, BurnInThread, NULL) != 0) _exit(97);
    pthread_join(thread, NULL);
    if (fork() == 0) Leaf();
    WaitForAll();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ptrace(PTRACE_SETOPTIONS, child, NULL, PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK);
  for (pid_t pid = child; !(pid == child && (WIFEXITED(status) || WIFSIGNALED(status)));
       pid = waitpid(-1, &status, __WALL)) {
    if (pid < 0) _exit(96);
    // The stops of new tracees, and of events, are the tracer's business.
    const int number = WIFSTOPPED(status) ? WSTOPSIG(status) : 0;
    const int passed = number == SIGSTOP || number == SIGTRAP ? 0 : number;
    if (WIFSTOPPED(status)) ptrace(PTRACE_CONT, pid, NULL, passed);
  }
}
static void NoEnvironment(void) {
  Work(quota_ms / 2);
  if (fork() == 0) {
    char* argv[] = {(char*)Self(), (char*)"leaf", (char*)QuotaText(), NULL};
    char* none[] = {NULL};
    execve(argv[0], argv, none);
    _exit(98);
  }
  WaitForAll();
}

int main(int argc, char** argv) {
  static const struct Mode kModes[] = {{"fork", Fork},
                                       {"fork_from_thread", ForkFromThread},
                                       {"nested", Nested},
                                       {"unwaited", Unwaited},
                                       {"daemon", Daemon},
                                       {"vfork_exit", VforkExit},
                                       {"vfork_exec", VforkExec},
                                       {"clone_vm", CloneVm},
                                       {"spawn", Spawn},
                                       {"short", Short},
                                       {"system", System},
                                       {"pipeline", Pipeline},
                                       {"killed_child", KilledChild},
                                       {"no_environment", NoEnvironment},
                                       {"traced", Traced},
                                       {"leaf", Leaf}};
  return RunModes(argc, argv, kModes, sizeof kModes / sizeof *kModes);
}
