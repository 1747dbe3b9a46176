// Prints what a program can see of itself; a run with the agent must print the same
// as a run without.   untouched MODE [MS]
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "burn.h"

static unsigned long quota_ms = 300;

__attribute__((noinline)) void Work(unsigned long ms) { BurnMs(ms); }

// --- dispositions -----------------------------------------------------------

static const char* HandlerName(void (*handler)(int)) {
  return handler == SIG_DFL ? "default" : handler == SIG_IGN ? "ignored" : "handler";
}

static void OnSignal(int unused) { (void)unused; }

static void PrintDispositions(void) {
  for (int s = 1; s <= 64; ++s) {
    struct sigaction now;
    memset(&now, 0, sizeof now);
    if (sigaction(s, NULL, &now) != 0) continue;
    // 0x04000000, SA_RESTORER, is between libc and the kernel.
    printf("sigaction %d %s flags %x\n", s, HandlerName(now.sa_handler),
           (unsigned)now.sa_flags & ~0x04000000u);
  }
}

// What signal() and sigaction() give back as the old value, through a round of changes.
static void PrintChanges(void) {
  static const int kSignals[] = {SIGINT, SIGTERM, SIGURG, SIGUSR1, SIGPROF, SIGABRT};
  for (size_t i = 0; i < sizeof kSignals / sizeof kSignals[0]; ++i) {
    const int s = kSignals[i];
    struct sigaction set;
    struct sigaction old;
    memset(&set, 0, sizeof set);
    printf("signal %d: %s", s, HandlerName(signal(s, SIG_IGN)));
    printf(" %s", HandlerName(signal(s, OnSignal)));
    set.sa_handler = SIG_DFL;
    sigaction(s, &set, &old);
    printf(" %s restart %d", HandlerName(old.sa_handler), !!(old.sa_flags & SA_RESTART));
    set.sa_handler = OnSignal;
    set.sa_flags = SA_NODEFER;
    sigaddset(&set.sa_mask, SIGUSR2);
    sigaction(s, &set, &old);
    printf(" %s", HandlerName(old.sa_handler));
    set.sa_handler = SIG_DFL;
    set.sa_flags = 0;
    sigaction(s, &set, &old);
    printf(" %s nodefer %d usr2 %d\n", HandlerName(old.sa_handler), !!(old.sa_flags & SA_NODEFER),
           sigismember(&old.sa_mask, SIGUSR2));
  }
}

static void PrintMask(const char* when) {
  sigset_t now;
  printf("mask %s:", when);
  if (sigprocmask(SIG_SETMASK, NULL, &now) != 0) printf(" failed");
  for (int s = 1; s <= 64; ++s) {
    if (sigismember(&now, s) == 1) printf(" %d", s);
  }
  printf("\n");
}

static void Signals(void) {
  PrintDispositions();
  PrintChanges();
  PrintDispositions();
  PrintMask("at start");
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGURG);
  sigaddset(&set, SIGTERM);
  sigprocmask(SIG_BLOCK, &set, NULL);
  PrintMask("urg and term");
  sigfillset(&set);
  pthread_sigmask(SIG_SETMASK, &set, NULL);
  PrintMask("all");
  Work(quota_ms);
  PrintMask("all, later");
  sigset_t pending;
  sigpending(&pending);
  for (int s = 1; s <= 64; ++s) {
    if (sigismember(&pending, s) == 1) printf("pending %d\n", s);
  }
  sigemptyset(&set);
  sigprocmask(SIG_SETMASK, &set, NULL);
  PrintMask("none");
}

// --- what /proc says --------------------------------------------------------

static void PrintLines(const char* file, const char* const* keys) {
  char line[512];
  FILE* in = fopen(file, "re");
  if (!in) return;
  while (fgets(line, sizeof line, in)) {
    for (int i = 0; keys[i]; ++i) {
      if (strncmp(line, keys[i], strlen(keys[i])) == 0) fputs(line, stdout);
    }
  }
  fclose(in);
}

static void PrintDescriptors(void) {
  for (int fd = 0; fd < 1024; ++fd) {
    struct stat s;
    if (fstat(fd, &s) == 0) printf("fd %d type %o\n", fd, (unsigned)(s.st_mode & S_IFMT));
  }
  const int next = open("/dev/null", O_RDONLY | O_CLOEXEC);
  printf("next fd %d\n", next);
  close(next);
}

static void Process(void) {
  static const char* const kKeys[] = {"Threads:", "Seccomp:", "NoNewPrivs:", NULL};
  Work(quota_ms);
  PrintLines("/proc/self/status", kKeys);
  PrintDescriptors();
  printf("dumpable %d\n", prctl(PR_GET_DUMPABLE));
  printf("umask %o\n", (unsigned)umask(0));
}

// The lists a disabled agent must not add to.
static void Inert(void) {
  static const char* const kKeys[] = {"Threads:", "SigBlk:", "SigIgn:", "SigCgt:", NULL};
  Work(quota_ms);
  PrintLines("/proc/self/status", kKeys);
  PrintDescriptors();
  static const char* const kAll[] = {"", NULL};
  printf("timers:\n");
  PrintLines("/proc/self/timers", kAll);
  printf("maps:\n");
  PrintLines("/proc/self/maps", kAll);
}

// --- errno over every call that an agent may interpose ----------------------

static void* Nothing(void* unused) { return unused; }

static void Check(const char* call, int failed) {
  printf("%s %d errno %d\n", call, failed != 0, errno);
  errno = 77;
}

static void Errno(void) {
  struct sigaction act;
  sigset_t set;
  pthread_t thread;
  char* const argv[] = {"no-such-program", NULL};
  char* const envp[] = {NULL};
  memset(&act, 0, sizeof act);
  sigemptyset(&set);
  errno = 77;
  Work(quota_ms);
  Check("burn", 0);
  Check("sigaction", sigaction(SIGURG, NULL, &act));
  Check("sigaction kill", sigaction(SIGKILL, &act, NULL));
  Check("sigaction 99", sigaction(99, &act, NULL));
  Check("signal", signal(SIGURG, SIG_DFL) == SIG_ERR);
  Check("signal kill", signal(SIGKILL, SIG_IGN) == SIG_ERR);
  Check("sigprocmask", sigprocmask(SIG_BLOCK, &set, NULL));
  Check("sigprocmask how", sigprocmask(99, &set, NULL));
  Check("pthread_sigmask how", pthread_sigmask(99, &set, NULL));
  Check("pthread_create", pthread_create(&thread, NULL, Nothing, NULL));
  Check("pthread_join", pthread_join(thread, NULL));
  Check("execve", execve("/no/such/file", argv, envp));
  Check("execv", execv("/no/such/file", argv));
  Check("execvp", execvp("no-such-program-at-all", argv));
  Check("execvp empty", execvp("", argv));
  Check("execl", execl("/no/such/file", "x", (char*)NULL));
  Check("execve folder", execve("/", argv, envp));
  Check("prctl", prctl(PR_SET_SECCOMP, 99, 0, 0, 0));
  Check("system", system("exit 4") != 4 << 8);
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    Check("fork child", 0);
    fflush(stdout);
    _exit(0);
  }
  Check("fork", child < 0);
  Check("waitpid", waitpid(child, NULL, 0) != child);
  Check("waitpid none", waitpid(-1, NULL, 0) != -1);
}

// --- exec: what the next image inherits -------------------------------------

// The environment is cleared, so that the new image runs without us and shows what
// the kernel handed on.
static void Exec(void) {
  sigset_t set;
  char* const argv[] = {"grep", "-E", "^(Sig(Blk|Ign|Cgt|Pnd)|ShdPnd|Threads)", "/proc/self/status",
                        NULL};
  char* const envp[] = {NULL};
  signal(SIGUSR1, SIG_IGN);
  signal(SIGUSR2, OnSignal);
  sigemptyset(&set);
  sigaddset(&set, SIGWINCH);
  sigprocmask(SIG_BLOCK, &set, NULL);
  Work(quota_ms);
  PrintDescriptors();
  fflush(stdout);
  execve("/bin/grep", argv, envp);
  perror("execve");
}

static void ExecIgnoringUrg(void) {
  signal(SIGURG, SIG_IGN);
  signal(SIGINT, SIG_IGN);
  signal(SIGTERM, SIG_IGN);
  Exec();
}

// --- waiting calls: none of them may be cut short by a signal of ours ---------

static void Waiting(void) {
  int interrupted = 0;
  for (int i = 0; i < 100; ++i) {
    const struct timespec ms = {0, 1000000};
    Work(quota_ms / 100);
    interrupted += nanosleep(&ms, NULL) != 0;
    interrupted += poll(NULL, 0, 1) != 0;
  }
  printf("interrupted %d\n", interrupted);
}

// --- children ---------------------------------------------------------------

static void WaitAtExit(void) {
  const pid_t got = waitpid(-1, NULL, WNOHANG);
  printf("wait at exit %d errno %d\n", (int)got, got < 0 ? errno : 0);
  fflush(stdout);
}

static void OnChild(int unused) {
  static const char kText[] = "SIGCHLD\n";
  (void)unused;
  if (write(1, kText, sizeof kText - 1) < 0) _exit(9);
}

static void Children(void) {
  signal(SIGCHLD, OnChild);
  atexit(WaitAtExit);
  Work(quota_ms);
}

// --- programs with plans of their own for our signal ------------------------

static void AllDefault(void) {
  for (int s = 1; s <= 64; ++s) signal(s, SIG_DFL);
  Work(quota_ms);
  puts("survived");
}

static volatile sig_atomic_t own_signals;
static volatile sig_atomic_t foreign_signals;

static void OnUrg(int unused, siginfo_t* info, void* context) {
  (void)unused;
  (void)context;
  if (info->si_code == SI_USER) {
    ++own_signals;
  } else {
    ++foreign_signals;
  }
}

static void OwnUrg(void) {
  struct sigaction act;
  memset(&act, 0, sizeof act);
  act.sa_sigaction = OnUrg;
  act.sa_flags = SA_SIGINFO;
  sigaction(SIGURG, &act, NULL);
  for (int i = 0; i < 10; ++i) {
    kill(getpid(), SIGURG);
    Work(quota_ms / 10);
  }
  printf("own %d foreign %d\n", (int)own_signals, (int)foreign_signals);
}

// Reads its mask for both signals that an agent could use, and handles both.
static void* UrgThread(void* unused) {
  (void)unused;
  sigset_t set;
  sigset_t now;
  sigemptyset(&set);
  sigaddset(&set, SIGURG);
  sigaddset(&set, SIGWINCH);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  Work(quota_ms / 3);
  pthread_sigmask(SIG_BLOCK, NULL, &now);
  printf("blocked %d %d\n", sigismember(&now, SIGURG), sigismember(&now, SIGWINCH));
  pthread_sigmask(SIG_UNBLOCK, &set, NULL);
  pthread_sigmask(SIG_BLOCK, NULL, &now);
  printf("unblocked %d %d\n", sigismember(&now, SIGURG), sigismember(&now, SIGWINCH));
  Work(quota_ms / 3);
  return NULL;
}

static void OwnUrgThreads(void) {
  pthread_t thread;
  struct sigaction old;
  struct sigaction act;
  memset(&act, 0, sizeof act);
  act.sa_sigaction = OnUrg;
  act.sa_flags = SA_SIGINFO | SA_RESTART;
  sigaction(SIGURG, &act, &old);
  printf("before %d %x\n", old.sa_handler == SIG_DFL, (unsigned)old.sa_flags);
  sigaction(SIGWINCH, NULL, &old);
  printf("other %d %x\n", old.sa_handler == SIG_DFL, (unsigned)old.sa_flags);
  pthread_create(&thread, NULL, UrgThread, NULL);
  pthread_join(thread, NULL);
  kill(getpid(), SIGWINCH);  // ignored by default
  kill(getpid(), SIGURG);
  Work(quota_ms / 3);
  printf("own %d foreign %d\n", (int)own_signals, (int)foreign_signals);
}

static void OwnBoth(void) {
  struct sigaction act;
  memset(&act, 0, sizeof act);
  act.sa_sigaction = OnUrg;
  act.sa_flags = SA_SIGINFO | SA_RESTART;
  Work(quota_ms / 2);
  sigaction(SIGURG, &act, NULL);
  Work(quota_ms / 4);
  sigaction(SIGWINCH, &act, NULL);
  kill(getpid(), SIGURG);
  kill(getpid(), SIGWINCH);
  Work(quota_ms / 4);
  printf("own %d foreign %d\n", (int)own_signals, (int)foreign_signals);
}

static void SigwaitUrg(void) {
  sigset_t set;
  siginfo_t info;
  const struct timespec now = {0, 0};
  sigemptyset(&set);
  sigaddset(&set, SIGURG);
  sigprocmask(SIG_BLOCK, &set, NULL);
  Work(quota_ms);
  printf("before %d\n", sigtimedwait(&set, &info, &now));
  kill(getpid(), SIGURG);
  const int own = sigwaitinfo(&set, &info);  // before its result is read
  printf("own %d code %d\n", own, info.si_code);
  Work(quota_ms);
  printf("after %d\n", sigtimedwait(&set, &info, &now));
}

static void SignalfdAll(void) {
  sigset_t set;
  struct signalfd_siginfo info;
  sigfillset(&set);
  sigprocmask(SIG_SETMASK, &set, NULL);
  const int fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
  Work(quota_ms);
  printf("before %d\n", (int)read(fd, &info, sizeof info));
  kill(getpid(), SIGURG);
  printf("own %d\n", read(fd, &info, sizeof info) == sizeof info ? (int)info.ssi_signo : -1);
  Work(quota_ms);
  printf("after %d\n", (int)read(fd, &info, sizeof info));
}

// --- threads: what works only while there is one, and what must reach them all ----

static void* WorkInThread(void* ms) {
  Work(*(unsigned long*)ms);
  return NULL;
}

// A new user namespace is refused to a process with more than one thread.
static void Unshare(void) {
  static const char* const kThreads[] = {"Threads:", NULL};
  Work(quota_ms);
  PrintLines("/proc/self/status", kThreads);
  printf("unshare %d\n", unshare(CLONE_NEWUSER) ? errno : 0);
}

static void UnshareAfterThreads(void) {
  unsigned long ms = 50;
  pthread_t thread;
  pthread_create(&thread, NULL, WorkInThread, &ms);
  pthread_join(thread, NULL);
  Work(quota_ms);
  sleep(1);
  Unshare();
}

// glibc makes every thread of the process change its user, and waits for all of them.
static void SetUser(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, WorkInThread, &quota_ms);
  for (int i = 0; i < 5; ++i) {
    Work(quota_ms / 5);
    printf("setuid %d setgid %d\n", setuid(getuid()), setgid(getgid()));
  }
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
}

// Stacks of nearly the least size, for signals and for threads: a handler of ours must
// fit, or keep away.
static void SmallStacks(void) {
  pthread_t thread;
  pthread_attr_t attr;
  stack_t stack = {.ss_size = (size_t)sysconf(_SC_MINSIGSTKSZ) + 1024};
  stack.ss_sp = malloc(stack.ss_size);
  printf("sigaltstack %d\n", sigaltstack(&stack, NULL));
  Work(quota_ms);
  pthread_attr_init(&attr);
  pthread_attr_setstacksize(&attr, (size_t)sysconf(_SC_THREAD_STACK_MIN));
  printf("thread %d\n", pthread_create(&thread, &attr, WorkInThread, &quota_ms));
  pthread_join(thread, NULL);
}

int main(int argc, char** argv) {
  static const struct {
    const char* name;
    void (*run)(void);
  } kModes[] = {{"signals", Signals},
                {"process", Process},
                {"inert", Inert},
                {"errno", Errno},
                {"exec", Exec},
                {"exec_ignoring", ExecIgnoringUrg},
                {"waiting", Waiting},
                {"children", Children},
                {"all_default", AllDefault},
                {"own_urg", OwnUrg},
                {"own_urg_threads", OwnUrgThreads},
                {"own_both", OwnBoth},
                {"sigwait_urg", SigwaitUrg},
                {"signalfd", SignalfdAll},
                {"unshare", Unshare},
                {"unshare_later", UnshareAfterThreads},
                {"set_user", SetUser},
                {"small_stacks", SmallStacks}};
  if (argc > 2) quota_ms = strtoul(argv[2], NULL, 10);
  for (size_t i = 0; argc > 1 && i < sizeof kModes / sizeof kModes[0]; ++i) {
    if (strcmp(argv[1], kModes[i].name) == 0) {
      kModes[i].run();
      return 7;
    }
  }
  return 2;
}
