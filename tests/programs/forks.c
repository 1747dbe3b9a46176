// Processes made and replaced in every way.   forks MODE COUNT MS
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "burn.h"

extern char** environ;
static int count;
static unsigned long quota_ms;

__attribute__((noinline)) void ParentWork(unsigned long ms) { BurnMs(ms); }
__attribute__((noinline)) void ChildWork(unsigned long ms) { BurnMs(ms); }

static int wrong;
static void Expect(pid_t child, int status) {
  int got = -1;
  while (waitpid(child, &got, 0) < 0 && errno == EINTR) {
  }
  wrong += !WIFEXITED(got) || WEXITSTATUS(got) != status;
}

static void Fork(void) {
  ParentWork(quota_ms);
  for (int i = 0; i < count; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      ChildWork(quota_ms);
      if (i % 2) exit(i % 7);
      _exit(i % 7);
    }
    Expect(child, i % 7);
  }
  ParentWork(quota_ms);
}

// Children that no fork handler hears of: _Fork and the bare system call. They must not
// write into their parent's profile, nor die of it.
static void RawFork(void) {
  ParentWork(quota_ms);
  for (int i = 0; i < count; ++i) {
    const pid_t child = i % 2 ? _Fork() : (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
    if (child == 0) {
      ChildWork(quota_ms);
      _exit(i % 7);
    }
    Expect(child, i % 7);
  }
  ParentWork(quota_ms);
}

static volatile int stop;
static void* Busy(void* unused) {
  while (!stop) ParentWork(1);
  return unused;
}
static void* ChildThread(void* unused) {
  ChildWork(quota_ms);
  return unused;
}

static void ForkBesideThreads(void) {
  pthread_t threads[4];
  for (int i = 0; i < 4; ++i) pthread_create(&threads[i], NULL, Busy, NULL);
  for (int i = 0; i < count; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      pthread_t t;
      pthread_create(&t, NULL, ChildThread, NULL);
      pthread_join(t, NULL);
      _exit(i % 7);
    }
    Expect(child, i % 7);
  }
  stop = 1;
  for (int i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
}

static void Vfork(void) {
  char* const argv[] = {"true", NULL};
  ParentWork(quota_ms);
  for (int i = 0; i < count; ++i) {
    const pid_t child = vfork();
    if (child == 0) {
      if (i % 2) execve("/bin/true", argv, environ);
      _exit(5);
    }
    Expect(child, i % 2 ? 0 : 5);
  }
  ParentWork(quota_ms);
}

static void Spawn(void) {
  char* const argv[] = {"sh", "-c", "exit 6", NULL};
  ParentWork(quota_ms);
  for (int i = 0; i < count; ++i) {
    pid_t child = 0;
    const int error = i % 2 ? posix_spawn(&child, "/bin/sh", NULL, NULL, argv, environ)
                            : posix_spawnp(&child, "sh", NULL, NULL, argv, environ);
    if (error != 0) {
      ++wrong;
    } else {
      Expect(child, 6);
    }
  }
  ParentWork(quota_ms);
}

static void SystemAndPopen(void) {
  ParentWork(quota_ms);
  for (int i = 0; i < count; ++i) {
    wrong += system("exit 3") != 3 << 8;
    char word[16] = "";
    FILE* in = popen("echo hello; exit 2", "r");
    wrong += !in || !fgets(word, sizeof word, in) || strcmp(word, "hello\n") != 0;
    wrong += !in || pclose(in) != 2 << 8;
  }
  ParentWork(quota_ms);
}

// One pid, COUNT images one after the other, each burns.
static void ExecChain(const char* self) {
  char left[16];
  ChildWork(quota_ms);
  if (count == 0) return;
  snprintf(left, sizeof left, "%d", count - 1);
  char ms[16];
  snprintf(ms, sizeof ms, "%lu", quota_ms);
  execl(self, self, "exec_chain", left, ms, (char*)NULL);
  ++wrong;
}

static void* ExecFromHere(void* self) {
  ChildWork(quota_ms);
  execl((const char*)self, (const char*)self, "exec_chain", "0", "100", (char*)NULL);
  return NULL;
}

// exec by a thread that is not the first one: the others end without a word.
static void ExecFromThread(char* self) {
  pthread_t busy;
  pthread_t thread;
  pthread_create(&busy, NULL, Busy, NULL);
  pthread_create(&thread, NULL, ExecFromHere, self);
  pthread_join(thread, NULL);
  ++wrong;
}

static void FailingExec(void) {
  char* const argv[] = {"x", NULL};
  for (int i = 0; i < count; ++i) {
    ParentWork(quota_ms);
    wrong += execv("/no/such/program", argv) != -1 || errno != ENOENT;
  }
}

// Each exec function once: the new image is this program in mode "child", which exits
// with 42 when its argument and its environment arrived.
static void ExecVariants(const char* self) {
  static const char* const kNames[] = {"execl",  "execv",   "execlp",  "execvp",  "execle",
                                       "execve", "execvpe", "fexecve", "execveat"};
  char* argv[] = {"forks", "child", "0", "0", NULL};
  char* envp[64] = {"WORKLOAD_MARK=there"};
  int used = 1;
  for (char** e = environ; *e && used < 62; ++e) envp[used++] = *e;
  for (int i = 0; i < 9; ++i) {
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
      ChildWork(quota_ms);
      const int fd = open(self, O_RDONLY | O_CLOEXEC);
      if (i < 4) setenv("WORKLOAD_MARK", "there", 1);
      if (i == 0) execl(self, "forks", "child", "0", "0", (char*)NULL);
      if (i == 1) execv(self, argv);
      if (i == 2) execlp(self, "forks", "child", "0", "0", (char*)NULL);
      if (i == 3) execvp(self, argv);
      if (i == 4) execle(self, "forks", "child", "0", "0", (char*)NULL, envp);
      if (i == 5) execve(self, argv, envp);
      if (i == 6) execvpe(self, argv, envp);
      if (i == 7) fexecve(fd, argv, envp);
      if (i == 8) execveat(fd, "", argv, envp, AT_EMPTY_PATH);
      _exit(1);
    }
    const int before = wrong;
    Expect(child, 42);
    if (wrong != before) printf("bad %s\n", kNames[i]);
  }
}

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  const char* mode = argv[1];
  count = atoi(argv[2]);
  quota_ms = strtoul(argv[3], NULL, 10);
  if (strcmp(mode, "child") == 0) return getenv("WORKLOAD_MARK") ? 42 : 41;
  if (strcmp(mode, "fork") == 0) Fork();
  if (strcmp(mode, "fork_threads") == 0) ForkBesideThreads();
  if (strcmp(mode, "vfork") == 0) Vfork();
  if (strcmp(mode, "spawn") == 0) Spawn();
  if (strcmp(mode, "system") == 0) SystemAndPopen();
  if (strcmp(mode, "exec_chain") == 0) ExecChain(argv[0]);
  if (strcmp(mode, "raw_fork") == 0) RawFork();
  if (strcmp(mode, "exec_thread") == 0) ExecFromThread(argv[0]);
  if (strcmp(mode, "exec_fails") == 0) FailingExec();
  if (strcmp(mode, "exec_variants") == 0) ExecVariants(argv[0]);
  printf("wrong %d\n", wrong);
  return wrong != 0;
}
