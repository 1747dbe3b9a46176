// Shows what the next image inherits, by each way to start one. It runs without the agent:
// the environment is cleared.   inherits MODE [MS]
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "modes.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#define SCRIPT                                                                                \
  "exec 3</proc/self/status; while read -r a b c <&3; do case $a in SigPnd:|SigBlk:|SigIgn:|SigCgt:|ShdPnd:|Threads:|"   \
  "NoNewPrivs:|Seccomp:) echo $a $b;; esac; done; exec 3<&-;"                                 \
  "umask; ulimit -a; cat /proc/self/oom_score_adj /proc/self/timers /proc/self/coredump_filter;" \
  "cd /proc/self/fd; for f in *; do echo fd $f; done; nice; env | grep -v OLDPWD | sort"

static char* const kArguments[] = {"sh", "-c", SCRIPT, NULL};
static char* const kNothing[] = {"PATH=/usr/bin:/bin", NULL};

static void OnSignal(int unused) { (void)unused; }

// Everything that exec hands on.
static void Prepare(void) {
  sigset_t set;
  const struct rlimit files = {256, 256};
  signal(SIGUSR1, SIG_IGN);
  signal(SIGHUP, SIG_IGN);
  signal(SIGUSR2, OnSignal);
  sigemptyset(&set);
  sigaddset(&set, SIGURG);
  sigaddset(&set, SIGWINCH);
  sigaddset(&set, SIGRTMIN + 5);
  sigprocmask(SIG_BLOCK, &set, NULL);
  raise(SIGWINCH);
  setrlimit(RLIMIT_NOFILE, &files);
  umask(0137);
  if (dup2(open("/dev/null", O_RDONLY), 77) < 0) printf("no descriptor\n");
  clearenv();
  Work(quota_ms);
  fflush(stdout);
}

static void Execve(void) {
  Prepare();
  execve("/bin/sh", kArguments, kNothing);
}
static void Execl(void) {
  Prepare();
  execle("/bin/sh", "sh", "-c", SCRIPT, (char*)NULL, kNothing);
}
static void Execvp(void) {
  Prepare();
  setenv("PATH", "/usr/bin:/bin", 1);
  execvp("sh", kArguments);
}
static void Fexecve(void) {
  Prepare();
  fexecve(open("/bin/sh", O_RDONLY | O_CLOEXEC), kArguments, kNothing);
}
static void RawExecve(void) {
  Prepare();
  syscall(SYS_execve, "/bin/sh", kArguments, kNothing);
}

static void WaitFor(pid_t child) {
  int status = -1;
  waitpid(child, &status, 0);
  printf("status %d\n", status);
}

static void ForkExec(void) {
  Prepare();
  const pid_t child = fork();
  if (child == 0) {
    execve("/bin/sh", kArguments, kNothing);
    _exit(9);
  }
  WaitFor(child);
}
static void VforkExec(void) {
  Prepare();
  const pid_t child = vfork();
  if (child == 0) {
    execve("/bin/sh", kArguments, kNothing);
    _exit(9);
  }
  WaitFor(child);
  sigset_t now;
  sigprocmask(SIG_BLOCK, NULL, &now);
  printf("blocked in us %d\n", sigismember(&now, SIGURG));
}
static void Spawn(void) {
  pid_t child = -1;
  Prepare();
  printf("posix_spawn %d\n", posix_spawn(&child, "/bin/sh", NULL, NULL, kArguments, kNothing));
  WaitFor(child);
}
static void SpawnWithAttributes(void) {
  pid_t child = -1;
  posix_spawnattr_t attr;
  sigset_t none;
  sigset_t all;
  Prepare();
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_init(&attr);
  posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  posix_spawnattr_setsigmask(&attr, &none);
  posix_spawnattr_setsigdefault(&attr, &all);
  printf("posix_spawnp %d\n", posix_spawnp(&child, "sh", NULL, &attr, kArguments, kNothing));
  WaitFor(child);
}
static void System(void) {
  Prepare();
  printf("system %d\n", system(SCRIPT));
}
static void Popen(void) {
  char line[4096];
  Prepare();
  FILE* in = popen(SCRIPT, "r");
  while (in && fgets(line, sizeof line, in)) fputs(line, stdout);
  printf("pclose %d\n", in ? pclose(in) : -1);
}

static void* ExecInThread(void* unused) {
  execve("/bin/sh", kArguments, kNothing);
  return unused;
}
static void ThreadExec(void) {
  pthread_t thread;
  Prepare();
  pthread_create(&thread, NULL, ExecInThread, NULL);
  pthread_join(thread, NULL);
}

static void Failing(void) {
  static char* const kMissing[] = {"missing", NULL};
  Prepare();
  for (int i = 0; i < 3; ++i) {
    printf("execve %d errno %d\n", execve("/no/such/file", kMissing, kNothing), errno);
    Work(quota_ms / 3);
  }
  fflush(stdout);
  execve("/bin/sh", kArguments, kNothing);
}

int main(int argc, char** argv) {
  static const struct Mode kModes[] = {{"execve", Execve},
                                       {"execl", Execl},
                                       {"execvp", Execvp},
                                       {"fexecve", Fexecve},
                                       {"raw_execve", RawExecve},
                                       {"fork_exec", ForkExec},
                                       {"vfork_exec", VforkExec},
                                       {"spawn", Spawn},
                                       {"spawn_with_attributes", SpawnWithAttributes},
                                       {"system", System},
                                       {"popen", Popen},
                                       {"thread_exec", ThreadExec},
                                       {"failing", Failing}};
  return RunModes(argc, argv, kModes, ARRAY_SIZE(kModes));
}
