// Uses signals in every way there is and prints what it sees; a run with the agent must
// print the same as a run without.   signals MODE [MS]
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/wait.h>

#include "modes.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

static volatile sig_atomic_t calls;
static volatile sig_atomic_t last_code;

static void Count(int signal, siginfo_t* info, void* context) {
  (void)signal;
  (void)context;
  last_code = info->si_code;
  calls = calls + 1;
}

static void Handle(int signal, void (*handler)(int, siginfo_t*, void*), int flags) {
  struct sigaction act;
  memset(&act, 0, sizeof act);
  act.sa_sigaction = handler;
  act.sa_flags = SA_SIGINFO | flags;
  sigaction(signal, &act, NULL);
}

static void PrintSet(const char* what, const sigset_t* set) {
  printf("%s:", what);
  for (int s = 1; s <= 64; ++s) {
    if (sigismember(set, s) == 1) printf(" %d", s);
  }
  printf("\n");
}

static void PrintMask(const char* when) {
  sigset_t now;
  if (pthread_sigmask(SIG_BLOCK, NULL, &now) == 0) PrintSet(when, &now);
}

static void BlockAll(sigset_t* before) {
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, before);
}

// --- the program's own profiler, debugger and asynchronous input -------------

static void Prof(void) {
  const struct itimerval every = {{0, 4000}, {0, 4000}};
  const struct itimerval never = {{0, 0}, {0, 0}};
  struct itimerval now;
  Handle(SIGPROF, Count, SA_RESTART);
  setitimer(ITIMER_PROF, &every, NULL);
  Work(quota_ms);
  getitimer(ITIMER_PROF, &now);
  setitimer(ITIMER_PROF, &never, NULL);
  // At most one a tick of the kernel's clock.
  const int ticks = (int)calls;
  printf("ticks enough %d, not too many %d, interval %ld us\n", ticks >= (int)quota_ms / 12,
         ticks <= (int)quota_ms / 3, (long)now.it_interval.tv_usec);
}

static void Trap(void) {
  Handle(SIGTRAP, Count, 0);
  for (int i = 0; i < 1000; ++i) {
#if defined(__x86_64__)
    __asm__ volatile("int3");
#else
    raise(SIGTRAP);
#endif
    if (i % 100 == 0) Work(quota_ms / 10);
  }
  printf("traps %d code %d\n", (int)calls, (int)last_code);
}

static void AsynchronousInput(void) {
  int ends[2];
  char byte = 0;
  if (pipe(ends) != 0) return;
  Handle(SIGIO, Count, 0);
  fcntl(ends[0], F_SETFL, O_ASYNC | O_NONBLOCK);
  fcntl(ends[0], F_SETOWN, getpid());
  for (int i = 0; i < 20; ++i) {
    if (write(ends[1], &byte, 1) != 1 || read(ends[0], &byte, 1) != 1) printf("pipe failed\n");
    Work(quota_ms / 20);
  }
  printf("SIGIO %d\n", (int)calls);
  calls = 0;
  Handle(SIGRTMIN + 3, Count, 0);
  fcntl(ends[0], F_SETSIG, SIGRTMIN + 3);
  for (int i = 0; i < 20; ++i) {
    if (write(ends[1], &byte, 1) != 1) printf("pipe failed\n");
  }
  printf("queued %d code %d\n", (int)calls, (int)last_code);
}

// --- real-time signals ---------------------------------------------------------

static int order[1024];
static volatile sig_atomic_t order_length;

static void Note(int signal, siginfo_t* info, void* context) {
  (void)context;
  if (order_length < (int)ARRAY_SIZE(order)) {
    order[order_length] = signal * 100 + info->si_value.sival_int;
    order_length = order_length + 1;
  }
}

static void RealTime(void) {
  sigset_t before;
  BlockAll(&before);
  for (int s = SIGRTMIN; s <= SIGRTMAX; ++s) {
    Handle(s, Note, 0);
    for (int i = 0; i < 10; ++i) sigqueue(getpid(), s, (union sigval){.sival_int = i});
  }
  Work(quota_ms);
  sigset_t pending;
  sigpending(&pending);
  PrintSet("pending", &pending);
  sigprocmask(SIG_SETMASK, &before, NULL);
  long sum = 0;
  for (int i = 0; i < order_length; ++i) sum += (long)order[i] * (i + 1);
  printf("delivered %d, in order %ld\n", (int)order_length, sum);
}

// Signals from outside, queued while the program works: none may be lost or added.
static void Storm(void) {
  const pid_t parent = getpid();
  Handle(SIGRTMIN, Count, SA_RESTART);
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    for (int i = 0; i < 1000; ++i) {
      while (sigqueue(parent, SIGRTMIN, (union sigval){.sival_int = i}) != 0) usleep(100);
      if (i % 50 == 0) usleep(2000);
    }
    _exit(0);
  }
  Work(quota_ms);
  int status = 0;
  while (waitpid(child, &status, 0) != child) {
  }
  printf("child %d, signals %d\n", status, (int)calls);
}

// --- waiting for signals ---------------------------------------------------------

static void SendAll(void) {
  for (int s = 1; s <= 64; ++s) {
    if (s != SIGKILL && s != SIGSTOP && s != 32 && s != 33) kill(getpid(), s);
  }
}

static void Sigtimedwait(void) {
  const struct timespec now = {0, 0};
  siginfo_t info;
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  BlockAll(&before);
  Work(quota_ms / 2);
  printf("before %d errno %d\n", sigtimedwait(&all, &info, &now), errno);
  SendAll();
  Work(quota_ms / 2);
  for (int s = sigtimedwait(&all, &info, &now); s > 0; s = sigtimedwait(&all, &info, &now)) {
    printf("%d code %d\n", s, info.si_code);
  }
  Work(quota_ms / 2);
  printf("after %d errno %d\n", sigtimedwait(&all, &info, &now), errno);
}

static void Sigwait(void) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  BlockAll(&before);
  for (int s = 1; s <= 64; ++s) {
    int got = 0;
    if (s == SIGKILL || s == SIGSTOP || s == 32 || s == 33) continue;
    kill(getpid(), s);
    Work(quota_ms / 60);
    const int r = sigwait(&all, &got);
    if (r != 0 || got != s) printf("sent %d got %d (%d)\n", s, got, r);
  }
  PrintMask("mask");
}

static void* WaitForTen(void* unused) {
  (void)unused;
  sigset_t all;
  siginfo_t info;
  sigfillset(&all);
  for (int i = 0; i < 10;) {
    const int s = sigwaitinfo(&all, &info);
    printf("thread got %d code %d value %d\n", s, info.si_code, info.si_value.sival_int);
    if (s == SIGRTMIN + 1) ++i;
  }
  return NULL;
}

static void SigwaitInThread(void) {
  sigset_t before;
  pthread_t thread;
  BlockAll(&before);
  pthread_create(&thread, NULL, WaitForTen, NULL);
  for (int i = 0; i < 10; ++i) {
    Work(quota_ms / 10);
    sigqueue(getpid(), SIGRTMIN + 1, (union sigval){.sival_int = i});
  }
  pthread_join(thread, NULL);
}

static void SignalfdOfAll(void) {
  struct signalfd_siginfo info;
  struct epoll_event event = {.events = EPOLLIN};
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  BlockAll(&before);
  const int fd = signalfd(-1, &all, SFD_CLOEXEC | SFD_NONBLOCK);
  const int epoll = epoll_create1(EPOLL_CLOEXEC);
  epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
  Work(quota_ms / 2);
  printf("ready %d read %d\n", epoll_wait(epoll, &event, 1, 0), (int)read(fd, &info, sizeof info));
  SendAll();
  Work(quota_ms / 2);
  printf("ready %d\n", epoll_wait(epoll, &event, 1, 0));
  while (read(fd, &info, sizeof info) == (int)sizeof info) {
    printf("%u code %d\n", info.ssi_signo, info.ssi_code);
  }
  Work(quota_ms / 2);
  printf("ready %d read %d\n", epoll_wait(epoll, &event, 1, 0), (int)read(fd, &info, sizeof info));
}

static void SignalfdOfUrg(void) {
  struct signalfd_siginfo info;
  sigset_t urg;
  sigemptyset(&urg);
  sigaddset(&urg, SIGURG);
  sigprocmask(SIG_BLOCK, &urg, NULL);
  Work(quota_ms);
  const int fd = signalfd(-1, &urg, SFD_NONBLOCK);
  for (int i = 0; i < 5; ++i) {
    kill(getpid(), SIGURG);
    Work(quota_ms / 5);
    printf("read %d\n", (int)read(fd, &info, sizeof info));
  }
  printf("read %d\n", (int)read(fd, &info, sizeof info));
}

static void Pending(void) {
  sigset_t before;
  sigset_t pending;
  BlockAll(&before);
  Work(quota_ms);
  sigpending(&pending);
  PrintSet("pending", &pending);
  SendAll();
  sigpending(&pending);
  PrintSet("pending", &pending);
  PrintMask("mask");
  // Taken away by being ignored, as a shell does.
  for (int s = 1; s <= 64; ++s) signal(s, SIG_IGN);
  sigpending(&pending);
  PrintSet("pending", &pending);
  sigprocmask(SIG_SETMASK, &before, NULL);
  PrintMask("mask");
}

// --- timers ------------------------------------------------------------------------

static void Timers(void) {
  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
  const struct itimerspec once = {{0, 0}, {0, 20000000}};
  struct itimerspec now;
  uint64_t expired = 0;
  timer_t timer;
  Handle(SIGUSR1, Count, SA_RESTART);
  Handle(SIGALRM, Count, SA_RESTART);
  printf("timer_create %d\n", timer_create(CLOCK_PROCESS_CPUTIME_ID, &event, &timer));
  timer_settime(timer, 0, &once, NULL);
  Work(quota_ms);
  printf("CPU timer %d code %d\n", (int)calls, (int)last_code);
  timer_gettime(timer, &now);
  printf("left %ld, overrun %d, delete %d\n", (long)now.it_value.tv_nsec, timer_getoverrun(timer),
         timer_delete(timer));
  calls = 0;
  printf("alarm %u\n", alarm(1));
  const int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
  timerfd_settime(fd, 0, &once, NULL);
  printf("timerfd %d", (int)read(fd, &expired, sizeof expired));
  printf(" %d\n", (int)expired);
  pause();
  printf("alarm %u, SIGALRM %d\n", alarm(0), (int)calls);
}

// The queue of signals has a limit; a timer of ours takes one place of it.
static void QueueLimit(void) {
  struct rlimit limit = {0, 0};
  sigset_t before;
  BlockAll(&before);
  Work(quota_ms);
  getrlimit(RLIMIT_SIGPENDING, &limit);
  limit.rlim_cur = 0;
  setrlimit(RLIMIT_SIGPENDING, &limit);
  const int r = sigqueue(getpid(), SIGRTMIN, (union sigval){.sival_int = 1});
  printf("sigqueue %d errno %d\n", r, r != 0 ? errno : 0);
}

// Signals of the process, which all threads block and one takes.
static void* TakeAll(void* unused) {
  const struct timespec limit = {3, 0};
  sigset_t all;
  sigfillset(&all);
  for (int r = 0; r != SIGTERM && r >= 0;) {
    r = sigtimedwait(&all, NULL, &limit);
    printf("thread took %d\n", r);
  }
  return unused;
}

static void SignalThread(void) {
  static const int kSent[] = {SIGURG, SIGUSR1, SIGURG, SIGTERM};
  sigset_t before;
  pthread_t thread;
  BlockAll(&before);
  pthread_create(&thread, NULL, TakeAll, NULL);
  Work(quota_ms);
  for (size_t i = 0; i < ARRAY_SIZE(kSent); ++i) {
    kill(getpid(), kSent[i]);
    usleep(50000);
  }
  pthread_join(thread, NULL);
}

static void* PollSignalfd(void* unused) {
  usleep(100000);  // the signal has been sent
  sigset_t urg;
  sigemptyset(&urg);
  sigaddset(&urg, SIGURG);
  struct pollfd one = {signalfd(-1, &urg, SFD_CLOEXEC), POLLIN, 0};
  printf("poll %d\n", poll(&one, 1, 1000));
  return unused;
}

static void SignalfdInThread(void) {
  sigset_t before;
  sigset_t pending;
  pthread_t thread;
  BlockAll(&before);
  pthread_create(&thread, NULL, PollSignalfd, NULL);
  Work(quota_ms / 3);
  kill(getpid(), SIGURG);
  sigpending(&pending);
  pthread_join(thread, NULL);  // it prints, too
  printf("pending %d\n", sigismember(&pending, SIGURG));
}

// --- wrong addresses -----------------------------------------------------------------

static void Say(const char* call, int r) { printf("%s %d errno %d\n", call, r, r < 0 ? errno : 0); }

static void WrongAddresses(void) {
  void* volatile wrong = (void*)16;
  const struct timespec soon = {0, 1000};
  sigset_t urg;
  sigset_t old;
  sigemptyset(&urg);
  sigaddset(&urg, SIGURG);
  Say("signalfd", signalfd(-1, (const sigset_t*)wrong, 0));
  Say("sigwaitinfo", sigwaitinfo((const sigset_t*)wrong, NULL));
  Say("sigtimedwait", sigtimedwait((const sigset_t*)wrong, NULL, &soon));
  printf("sigwait %d\n", sigwait((const sigset_t*)wrong, (int*)wrong));
  Say("sigaltstack", sigaltstack((const stack_t*)wrong, NULL));
  Say("sigaltstack", sigaltstack(NULL, (stack_t*)wrong));
  // The mask is set all the same.
  Say("sigprocmask", sigprocmask(SIG_BLOCK, &urg, (sigset_t*)wrong));
  sigprocmask(SIG_BLOCK, NULL, &old);
  printf("blocked %d\n", sigismember(&old, SIGURG));
  Say("clone3", (int)syscall(SYS_clone3, wrong, 88));
  Say("seccomp", prctl(PR_SET_SECCOMP, 2, wrong));
}

int main(int argc, char** argv) {
  static const struct Mode kModes[] = {{"prof", Prof},
                                       {"wrong_addresses", WrongAddresses},
                                       {"trap", Trap},
                                       {"asynchronous_input", AsynchronousInput},
                                       {"real_time", RealTime},
                                       {"storm", Storm},
                                       {"sigtimedwait", Sigtimedwait},
                                       {"sigwait", Sigwait},
                                       {"sigwait_in_thread", SigwaitInThread},
                                       {"signalfd_of_all", SignalfdOfAll},
                                       {"signalfd_of_urg", SignalfdOfUrg},
                                       {"signal_thread", SignalThread},
                                       {"signalfd_in_thread", SignalfdInThread},
                                       {"pending", Pending},
                                       {"timers", Timers},
                                       {"queue_limit", QueueLimit}};
  return RunModes(argc, argv, kModes, ARRAY_SIZE(kModes));
}
