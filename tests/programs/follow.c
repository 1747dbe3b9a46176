// Programs that choose what their children get.   follow MODE MS
//   environment   every exec function and spawn with an environment of its own
//   attributes    posix_spawn with attributes and file actions
//   handler       fork in a signal handler
//   wrong         exec and spawn with environments, and a path, that are not in memory
//   static PROG   a program that cannot be followed, three times
//   child N MS    what the others execute: shows its environment, burns, exits with 40 + N
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "burn.h"

extern char** environ;
static const char* self;
static int wrong;

__attribute__((noinline)) void ParentWork(unsigned long ms) { BurnMs(ms); }
__attribute__((noinline)) void ChildWork(unsigned long ms) { BurnMs(ms); }

static void Expect(pid_t child, int status) {
  int got = -1;
  while (waitpid(child, &got, 0) < 0 && errno == EINTR) {
  }
  wrong += !WIFEXITED(got) || WEXITSTATUS(got) != status;
}

static int CountOf(const char* prefix) {
  int count = 0;
  for (char** e = environ; *e; ++e) count += strncmp(*e, prefix, strlen(prefix)) == 0;
  return count;
}

static int Child(int number, unsigned long ms) {
  char line[160];
  const int n = snprintf(line, sizeof line, "child %d mark %d preload %d events %d variables %d\n",
                         number, CountOf("MARK="), CountOf("LD_PRELOAD="),
                         CountOf("CSINK_EVENTS="), (int)(CountOf("")));
  wrong += write(1, line, (size_t)n) != n;
  ChildWork(ms);
  return 40 + number;
}

static void Run(int variant, char** argv, char** envp) {
  const int fd = open(self, O_RDONLY | O_CLOEXEC);
  if (variant == 0) execle(self, argv[0], argv[1], argv[2], argv[3], (char*)NULL, envp);
  if (variant == 1) execve(self, argv, envp);
  if (variant == 2) execvpe(self, argv, envp);
  if (variant == 3) fexecve(fd, argv, envp);
  if (variant == 4) execveat(fd, "", argv, envp, AT_EMPTY_PATH);
  _exit(1);
}

static void Environments(char* ms) {
  char* envp[] = {"MARK=there", "PATH=/usr/bin:/bin", NULL};
  char number[8];
  char* argv[] = {"follow", "child", number, ms, NULL};
  char** const before = environ;
  const int variables = CountOf("");
  for (volatile int i = 0; i < 8; ++i) {
    snprintf(number, sizeof number, "%d", i);
    pid_t child = 0;
    if (i < 5) {
      child = fork();
      if (child == 0) Run(i, argv, envp);
    } else if (i == 5) {
      child = vfork();
      if (child == 0) {
        execve(self, argv, envp);
        _exit(1);
      }
    } else if (i == 6) {
      wrong += posix_spawn(&child, self, NULL, NULL, argv, envp) != 0;
    } else {
      wrong += posix_spawnp(&child, self, NULL, NULL, argv, envp) != 0;
    }
    Expect(child, 40 + i);
  }
  wrong += before != environ || variables != CountOf("");
}

static void Attributes(char* ms) {
  char* argv[] = {"follow", "spawned", "0", ms, NULL};
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_t actions;
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR2);
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK |
                                            POSIX_SPAWN_SETSIGDEF);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setsigmask(&attributes, &set);
  posix_spawnattr_setsigdefault(&attributes, &set);
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 9, "/dev/null", O_RDONLY, 0);
  signal(SIGUSR2, SIG_IGN);
  pid_t child = 0;
  wrong += posix_spawn(&child, self, &actions, &attributes, argv, environ) != 0;
  Expect(child, 43);
  wrong += posix_spawn(&child, "/no/such/program", &actions, &attributes, argv, environ) != ENOENT;
  wrong += posix_spawnp(&child, "no-such-program", NULL, NULL, argv, environ) != ENOENT;
}

// What Attributes asked for, as the child sees it.
static int Spawned(unsigned long ms) {
  sigset_t set;
  struct sigaction action;
  sigprocmask(SIG_BLOCK, NULL, &set);
  sigaction(SIGUSR2, NULL, &action);
  ChildWork(ms);
  return getpgrp() == getpid() && sigismember(&set, SIGUSR2) == 1 &&
                 sigismember(&set, SIGUSR1) == 0 && action.sa_handler == SIG_DFL &&
                 fcntl(9, F_GETFD) == 0
             ? 43
             : 1;
}

static void WrongEnvironments(void) {
  char* argv[] = {"follow", "child", "0", "1", NULL};
  char* of_wrong[] = {"MARK=there", (char*)16, NULL};
  char** volatile none = (char**)16;
  pid_t child = 0;
  wrong += execve((const char*)none, argv, environ) != -1 || errno != EFAULT;
  for (int i = 0; i < 2; ++i) {
    char** const envp = i == 0 ? none : of_wrong;
    wrong += execve(self, argv, envp) != -1 || errno != EFAULT;
    wrong += execvpe(self, argv, envp) != -1 || errno != EFAULT;
    wrong += posix_spawn(&child, self, NULL, NULL, argv, envp) != EFAULT;
  }
}

static unsigned long handler_ms;
static volatile pid_t forked;
static void ForkHere(int number) {
  (void)number;
  const int error = errno;
  const pid_t child = fork();
  if (child == 0) {
    ChildWork(handler_ms);
    _exit(7);
  }
  forked = child;
  errno = error;
}

static void InHandler(unsigned long ms) {
  handler_ms = ms;
  signal(SIGUSR1, ForkHere);
  for (int i = 0; i < 4; ++i) {
    ParentWork(ms / 2);
    raise(SIGUSR1);
    Expect(forked, 7);
  }
}

static void Unfollowed(char* program) {
  char* argv[] = {program, "1", NULL};
  for (volatile int i = 0; i < 3; ++i) {
    pid_t child = 0;
    if (i == 0) {
      child = fork();
      if (child == 0) {
        execv(program, argv);
        _exit(1);
      }
    } else if (i == 1) {
      child = vfork();
      if (child == 0) {
        execvp(program, argv);
        _exit(1);
      }
    } else {
      wrong += posix_spawn(&child, program, NULL, NULL, argv, environ) != 0;
    }
    int status = 0;
    waitpid(child, &status, 0);
  }
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  self = "/proc/self/exe";
  char path[4096];
  const ssize_t n = readlink(self, path, sizeof path - 1);
  if (n > 0) {
    path[n] = 0;
    self = path;
  }
  const char* mode = argv[1];
  if (strcmp(mode, "child") == 0) return Child(atoi(argv[2]), strtoul(argv[3], NULL, 10));
  if (strcmp(mode, "spawned") == 0) return Spawned(strtoul(argv[3], NULL, 10));
  ParentWork(60);
  if (strcmp(mode, "environment") == 0) Environments(argv[2]);
  if (strcmp(mode, "attributes") == 0) Attributes(argv[2]);
  if (strcmp(mode, "wrong") == 0) WrongEnvironments();
  if (strcmp(mode, "handler") == 0) InHandler(strtoul(argv[2], NULL, 10));
  if (strcmp(mode, "static") == 0) Unfollowed(argv[2]);
  printf("wrong %d\n", wrong);
  return wrong != 0;
}
