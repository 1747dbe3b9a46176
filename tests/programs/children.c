// Waits for children in every way there is; the agent's own must not be among them. A run
// with the agent must print the same as a run without.   children MODE [MS]
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "modes.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#ifndef __WALL
#define __WALL 0x40000000
#endif
#ifndef __WCLONE
#define __WCLONE 0x80000000u
#endif

static volatile sig_atomic_t ended;

static void OnChild(int unused) {
  (void)unused;
  ended = ended + 1;
}

static pid_t Child(int status) {
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    Work(quota_ms / 20);
    _exit(status);
  }
  return child;
}

static void PrintNobody(const char* when) {
  siginfo_t info;
  memset(&info, 0, sizeof info);
  printf("%s: waitpid %d", when, (int)waitpid(-1, NULL, WNOHANG));
  printf(" errno %d, wall %d", errno, (int)waitpid(-1, NULL, WNOHANG | __WALL));
  printf(" errno %d, clone %d", errno, (int)waitpid(-1, NULL, WNOHANG | (int)__WCLONE));
  printf(" errno %d, group %d", errno, (int)waitpid(0, NULL, WNOHANG | __WALL));
  printf(" errno %d, waitid %d", errno, waitid(P_ALL, 0, &info, WEXITED | WNOHANG | __WALL));
  printf(" errno %d pid %d, SIGCHLD %d\n", errno, info.si_pid, (int)ended);
  fflush(stdout);
}

static void AtExit(void) { PrintNobody("at exit"); }

static void Waits(void) {
  int status = 0;
  siginfo_t info;
  struct rusage usage;
  struct sigaction act;
  memset(&act, 0, sizeof act);
  act.sa_handler = OnChild;
  sigaction(SIGCHLD, &act, NULL);
  atexit(AtExit);
  Work(quota_ms);
  PrintNobody("before");
  for (int i = 0; i < 4; ++i) {
    const pid_t child = Child(i);
    Work(quota_ms / 4);
    pid_t got = -1;
    while (got < 0) {
      switch (i) {
        case 0:
          got = waitpid(-1, &status, 0);
          break;
        case 1:
          got = wait4(-1, &status, __WALL, &usage);
          break;
        case 2:
          got = wait3(&status, 0, &usage);
          break;
        default:
          got = waitid(P_ALL, 0, &info, WEXITED | __WALL) == 0 ? info.si_pid : -1;
          status = info.si_status << 8;
      }
    }
    printf("got %d status %d\n", got == child, WEXITSTATUS(status));
    PrintNobody("then");
  }
}

static void Ignored(void) {
  signal(SIGCHLD, SIG_IGN);
  atexit(AtExit);
  Work(quota_ms);
  for (int i = 0; i < 3; ++i) Child(i);
  while (waitpid(-1, NULL, 0) > 0) {
  }
  printf("errno %d\n", errno);
}

static void NoZombies(void) {
  struct sigaction act;
  memset(&act, 0, sizeof act);
  act.sa_handler = SIG_DFL;
  act.sa_flags = SA_NOCLDWAIT;
  sigaction(SIGCHLD, &act, NULL);
  atexit(AtExit);
  Work(quota_ms);
  for (int i = 0; i < 3; ++i) Child(i);
  while (waitpid(-1, NULL, 0) > 0) {
  }
  printf("errno %d\n", errno);
}

static void Subreaper(void) {
  printf("prctl %d\n", prctl(PR_SET_CHILD_SUBREAPER, 1));
  atexit(AtExit);
  Work(quota_ms);
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    if (fork() == 0) Work(quota_ms / 10);
    _exit(0);
  }
  int number = 0;
  while (waitpid(-1, NULL, 0) > 0) ++number;
  printf("children %d\n", number);
}

// Another thread waits for anything at all while the main thread burns.
static volatile int stop_waiting;
static void* WaitForAnything(void* unused) {
  int strangers = 0;
  while (!stop_waiting) {
    if (waitpid(-1, NULL, __WALL) > 0) ++strangers;
    usleep(100);
  }
  printf("strangers %d\n", strangers);
  return unused;
}

static void WaitInThread(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, WaitForAnything, NULL);
  Work(quota_ms);
  stop_waiting = 1;
  pthread_join(thread, NULL);
}

static void Usage(void) {
  struct rusage before;
  struct rusage after;
  getrusage(RUSAGE_CHILDREN, &before);
  Work(quota_ms);
  getrusage(RUSAGE_CHILDREN, &after);
  // The spool is made in a child of the agent's, once: that much may be seen.
  printf("children's: less than 10 ms %d, faults below 100 %d\n",
         after.ru_utime.tv_usec - before.ru_utime.tv_usec < 10000,
         after.ru_minflt - before.ru_minflt < 100);
}

static volatile sig_atomic_t group_signals;
static void OnGroup(int unused) {
  (void)unused;
  group_signals = group_signals + 1;
}

static void Groups(void) {
  setpgid(0, 0);
  printf("leader %d session %d\n", getpgid(0) == getpid(), getsid(0) == getpid());
  signal(SIGUSR1, OnGroup);
  Work(quota_ms);
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    printf("child: setpgid %d", setpgid(0, 0));
    printf(" group %d setsid %d", getpgid(0) == getpid(), (int)setsid());
    printf(" errno %d\n", errno);
    fflush(stdout);
    _exit(0);
  }
  waitpid(child, NULL, 0);
  kill(0, SIGUSR1);
  killpg(getpgid(0), SIGUSR1);
  printf("signals to the group %d\n", (int)group_signals);
}

// A debugger in small: the program traces its child.
static void Tracer(void) {
  int status = 0;
  int stops = 0;
  Work(quota_ms);
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    ptrace(PTRACE_TRACEME, 0, NULL, NULL);
    raise(SIGSTOP);
    raise(SIGUSR2);
    _exit(5);
  }
  while (waitpid(-1, &status, __WALL) == child && WIFSTOPPED(status)) {
    printf("stopped by %d\n", WSTOPSIG(status));
    ++stops;
    ptrace(PTRACE_CONT, child, NULL, NULL);
    Work(quota_ms / 4);
  }
  printf("stops %d, then %d\n", stops, WIFEXITED(status) ? WEXITSTATUS(status) : -1);
}

static void System(void) {
  atexit(AtExit);
  Work(quota_ms);
  printf("system %d\n", WEXITSTATUS(system("exit 3")));
  fflush(stdout);
  char line[64] = "";
  FILE* in = popen("echo out of a pipe; exit 4", "r");
  if (in && fgets(line, sizeof line, in)) fputs(line, stdout);
  printf("pclose %d\n", in ? WEXITSTATUS(pclose(in)) : -1);
}

int main(int argc, char** argv) {
  static const struct Mode kModes[] = {{"waits", Waits},
                                       {"ignored", Ignored},
                                       {"no_zombies", NoZombies},
                                       {"subreaper", Subreaper},
                                       {"wait_in_thread", WaitInThread},
                                       {"usage", Usage},
                                       {"groups", Groups},
                                       {"tracer", Tracer},
                                       {"system", System}};
  return RunModes(argc, argv, kModes, ARRAY_SIZE(kModes));
}
