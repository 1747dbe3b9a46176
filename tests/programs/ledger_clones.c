// Children for the ledger's test that calls other than fork(3) make, or that others wait for.
//   ledger_clones MODE MS
// The parent burns half of MS, each child burns MS.
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>

#include "ledger.h"

static void Need(int failed) {
  if (!failed) return;
  perror("ledger_clones");
  _exit(77);
}

static const char *leaf_path, *leaf_ms;
static void Prepare(void) {
  leaf_path = Self(), leaf_ms = QuotaText();
  Work(quota_ms / 2);
}
// A child with memory of its own.
static void OwnMemory(long child, int exec) {
  Need(child < 0);
  if (child == 0) {
    Work(quota_ms);
    if (exec) ExecSelf(leaf_path, "leaf", leaf_ms);
    _exit(0);
  }
  WaitForAll();
}
static int WorkAndLeave(void* unused) {
  (void)unused;
  ChildWork(quota_ms);
  _exit(0);
}
static void CloneWith(int flags) {
  static char stack[1 << 18] __attribute__((aligned(16)));
  Prepare();
  Need(clone(WorkAndLeave, stack + sizeof stack, flags | SIGCHLD, NULL) < 0);
  WaitForAll();
}
static void CloneVmExit(void) { CloneWith(CLONE_VM | CLONE_VFORK); }
static void CloneOwn(void) { CloneWith(0); }
static void CloneVfork(void) { CloneWith(CLONE_VFORK); }

// The order of the arguments behind the flags does not matter: all are 0.
static void RawClone(void) {
  Prepare();
  OwnMemory(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0), 0);
}
static void RawCloneExec(void) {
  Prepare();
  OwnMemory(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0), 1);
}
static long Clone3(unsigned long long flags) {
  struct clone_args arguments = {.flags = flags, .exit_signal = SIGCHLD};
  return syscall(SYS_clone3, &arguments, sizeof arguments);
}
static void RawClone3(void) {
  Prepare();
  OwnMemory(Clone3(0), 0);
}
static void RawClone3Exec(void) {
  Prepare();
  OwnMemory(Clone3(CLONE_FS), 1);
}
#if defined(SYS_fork)
static void RawFork(void) {
  Prepare();
  OwnMemory(syscall(SYS_fork), 0);
}
#endif
#if __GLIBC_PREREQ(2, 34)
static void UnderFork(void) {
  Prepare();
  OwnMemory(_Fork(), 1);
}
#endif

// popen waits inside of libc.
static void Popen(void) {
  char command[2 * PATH_MAX];
  Prepare();
  snprintf(command, sizeof command, "%s leaf %s", leaf_path, leaf_ms);
  FILE* stream = popen(command, "r");
  Need(stream == NULL);
  while (fgetc(stream) != EOF) {
  }
  Need(pclose(stream) != 0);
}

// The first child of the namespace has number 1 there, and a child of its own with number 2.
static void PidNamespace(void) {
  Prepare();
  Need(unshare(CLONE_NEWPID));
  if (fork() == 0) {
    if (fork() == 0) Leaf();
    Work(quota_ms);
    WaitForAll();
    _exit(0);
  }
  WaitForAll();
}
// By the call itself, then exec.
static void PidNamespaceExec(void) {
  Prepare();
  OwnMemory(syscall(SYS_clone, CLONE_NEWPID | SIGCHLD, 0, 0, 0, 0), 1);
}

int main(int argc, char** argv) {
  static const struct Mode kModes[] = {{"clone_vm_exit", CloneVmExit},
                                       {"clone_own", CloneOwn},
                                       {"clone_vfork", CloneVfork},
                                       {"raw_clone", RawClone},
                                       {"raw_clone_exec", RawCloneExec},
                                       {"clone3", RawClone3},
                                       {"clone3_exec", RawClone3Exec},
#if defined(SYS_fork)
                                       {"raw_fork", RawFork},
#endif
#if __GLIBC_PREREQ(2, 34)
                                       {"under_fork", UnderFork},
#endif
                                       {"popen", Popen},
                                       {"pid_namespace", PidNamespace},
                                       {"pid_namespace_exec", PidNamespaceExec},
                                       {"leaf", Leaf}};
  return RunModes(argc, argv, kModes, sizeof kModes / sizeof *kModes);
}
