// Waits in every way there is: how often the calls are interrupted, and what the calls that
// wait for children see. A run with the agent must print the same as a run without.
//   waits MODE [MS]
#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <linux/futex.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "modes.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

static int pipe_ends[2];
static int epoll;
static int listening;
static int timed_socket;
static int semaphores;
static int messages;
static aio_context_t io;
static int word;
static int locked;
static const struct timespec kShort = {0, 1000};
static const struct timespec kLong = {20, 0};
static const struct timespec* limit;
static int limit_ms;

static void OnAlarm(int unused) { (void)unused; }

// --- the calls: -1 and errno when cut short ------------------------------------------

static int Read(void) {
  char byte;
  return limit == &kLong ? (int)read(pipe_ends[0], &byte, 1) : 0;
}
static int Poll(void) { return poll(NULL, 0, limit_ms); }
static int Ppoll(void) { return ppoll(NULL, 0, limit, NULL); }
static int PpollMask(void) {
  sigset_t urg;
  sigemptyset(&urg);
  sigaddset(&urg, SIGURG);
  return ppoll(NULL, 0, limit, &urg);
}
static int Select(void) {
  struct timeval time = {limit->tv_sec, limit->tv_nsec / 1000};
  return select(0, NULL, NULL, NULL, &time);
}
static int Pselect(void) { return pselect(0, NULL, NULL, NULL, limit, NULL); }
static int EpollWait(void) {
  struct epoll_event event;
  return epoll_wait(epoll, &event, 1, limit_ms);
}
static int Nanosleep(void) { return nanosleep(limit, NULL); }
static int ClockNanosleep(void) {
  errno = clock_nanosleep(CLOCK_MONOTONIC, 0, limit, NULL);
  return errno ? -1 : 0;
}
static int Semop(void) {
  struct sembuf down = {0, -1, 0};
  const int r = semtimedop(semaphores, &down, 1, limit);
  return r != 0 && errno == EAGAIN ? 0 : r;
}
static int Msgrcv(void) {
  struct {
    long type;
    char text[8];
  } message;
  return limit == &kLong ? (int)msgrcv(messages, &message, sizeof message.text, 0, 0) : 0;
}
static int Futex(void) {
  const long r = syscall(SYS_futex, &word, FUTEX_WAIT_BITSET, 0, limit == &kLong ? NULL : limit,
                         NULL, FUTEX_BITSET_MATCH_ANY);
  return r != 0 && errno == ETIMEDOUT ? 0 : (int)r;
}
static int Accept(void) {
  const int r = accept(listening, NULL, NULL);
  return r < 0 && errno == EAGAIN ? 0 : r;
}
static int Recv(void) {
  char byte;
  const int r = (int)recv(timed_socket, &byte, 1, 0);
  return r < 0 && errno == EAGAIN ? 0 : r;
}
static int Pause(void) { return limit == &kLong ? pause() : 0; }
static int Sigsuspend(void) {
  sigset_t none;
  sigemptyset(&none);
  return limit == &kLong ? sigsuspend(&none) : 0;
}
static int GetEvents(void) {
  struct io_event event;
  struct timespec time = *limit;
  return (int)syscall(SYS_io_getevents, io, 1l, 1l, &event, &time);
}
static int Lock(void) { return limit == &kLong ? flock(locked, LOCK_EX) : 0; }
static int Wait(void) {
  int status;
  return limit == &kLong ? wait4(-1, &status, 0, NULL) : 0;
}

static const struct {
  const char* name;
  int (*call)(void);
} kCalls[] = {{"read", Read},           {"poll", Poll},
              {"ppoll", Ppoll},         {"ppoll with a mask", PpollMask},
              {"select", Select},       {"pselect", Pselect},
              {"epoll_wait", EpollWait}, {"nanosleep", Nanosleep},
              {"clock_nanosleep", ClockNanosleep}, {"semtimedop", Semop},
              {"msgrcv", Msgrcv},       {"futex", Futex},
              {"accept", Accept},       {"recv", Recv},
              {"pause", Pause},         {"sigsuspend", Sigsuspend},
              {"io_getevents", GetEvents}, {"flock", Lock},
              {"wait4", Wait}};

static void SetTimeouts(int fd, const struct timespec* time) {
  const struct timeval value = {time->tv_sec, time->tv_nsec / 1000};
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &value, sizeof value);
}

static pid_t Sleeper(void) {
  const pid_t child = fork();
  if (child != 0) return child;
  flock(open("lock", O_RDWR | O_CREAT, 0600), LOCK_EX);
  if (write(pipe_ends[1], "x", 1) != 1) _exit(1);
  sleep(60);
  _exit(0);
}

static pid_t Prepare(const struct timespec* time, int milliseconds) {
  struct sockaddr_in address = {.sin_family = AF_INET};
  char byte;
  limit = time;
  limit_ms = milliseconds;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  listening = socket(AF_INET, SOCK_STREAM, 0);
  timed_socket = socket(AF_INET, SOCK_DGRAM, 0);
  epoll = epoll_create1(0);
  locked = open("lock", O_RDWR | O_CREAT, 0600);
  if (pipe(pipe_ends) != 0 || bind(listening, (struct sockaddr*)&address, sizeof address) != 0 ||
      bind(timed_socket, (struct sockaddr*)&address, sizeof address) != 0 ||
      listen(listening, 1) != 0 || syscall(SYS_io_setup, 1, &io) != 0) {
    printf("cannot prepare: %d\n", errno);
  }
  SetTimeouts(listening, time);
  SetTimeouts(timed_socket, time);
  semaphores = semget(IPC_PRIVATE, 1, 0600);
  messages = msgget(IPC_PRIVATE, 0600);
  fflush(stdout);
  const pid_t child = Sleeper();
  if (read(pipe_ends[0], &byte, 1) != 1) printf("no child\n");
  return child;
}

static void CleanUp(pid_t child) {
  semctl(semaphores, 0, IPC_RMID);
  msgctl(messages, IPC_RMID, NULL);
  kill(child, SIGKILL);
  while (wait(NULL) > 0) {
  }
}

// Nobody sends a signal, so nothing may be interrupted. Most of the time is spent at the
// kernel's door: that is where a signal of ours would do harm.
static void NeverInterrupted(void) {
  const pid_t child = Prepare(&kShort, 0);
  int interrupted[ARRAY_SIZE(kCalls)] = {0};
  const uint64_t end = ThreadCpuNs() + quota_ms * 2 * 1000000;
  prctl(PR_SET_TIMERSLACK, 1);
  for (unsigned long round = 0; ThreadCpuNs() < end; ++round) {
    for (size_t i = 0; i < ARRAY_SIZE(kCalls); ++i) {
      // Sockets wait for a tick of the kernel's clock at least: now and then is enough.
      const int slow = kCalls[i].call == Accept || kCalls[i].call == Recv;
      if (slow && round % 1000 != 0) continue;
      interrupted[i] += kCalls[i].call() < 0 && errno == EINTR;
    }
  }
  for (size_t i = 0; i < ARRAY_SIZE(kCalls); ++i) {
    printf("%s interrupted %d\n", kCalls[i].name, interrupted[i]);
  }
  CleanUp(child);
}

// One signal of the program's own for each call, with and without SA_RESTART.
static void Interrupted(int flags) {
  // Again and again: on a busy machine the first may come before the call.
  static const struct itimerval kSoon = {{0, 4000}, {0, 4000}};
  static const struct itimerval kNever = {{0, 0}, {0, 0}};
  struct sigaction act;
  const pid_t child = Prepare(&kLong, 20000);
  memset(&act, 0, sizeof act);
  act.sa_handler = OnAlarm;
  act.sa_flags = flags;
  sigaction(SIGALRM, &act, NULL);
  for (size_t i = 0; i < ARRAY_SIZE(kCalls); ++i) {
    // These start again: they would wait for ever.
    static const char* const kRestarted[] = {"read", "flock", "wait4", "futex"};
    int skip = 0;
    for (size_t k = 0; k < ARRAY_SIZE(kRestarted); ++k) {
      skip |= flags != 0 && strcmp(kCalls[i].name, kRestarted[k]) == 0;
    }
    if (skip) continue;
    int interrupted = 0;
    for (int k = 0; k < 3; ++k) {
      Work(quota_ms / 60);
      setitimer(ITIMER_REAL, &kSoon, NULL);
      interrupted += kCalls[i].call() < 0 && errno == EINTR;
      setitimer(ITIMER_REAL, &kNever, NULL);
    }
    printf("%s interrupted %d\n", kCalls[i].name, interrupted);
  }
  CleanUp(child);
}
static void InterruptedOnce(void) { Interrupted(0); }
static void InterruptedWithRestart(void) { Interrupted(SA_RESTART); }

// A thread that waits while others burn.
static void* Burn(void* unused) {
  Work(quota_ms * 2);
  return unused;
}
static void BesideThreads(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, Burn, NULL);
  NeverInterrupted();
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
}

int main(int argc, char** argv) {
  static const struct Mode kModes[] = {{"never_interrupted", NeverInterrupted},
                                       {"interrupted_once", InterruptedOnce},
                                       {"interrupted_with_restart", InterruptedWithRestart},
                                       {"beside_threads", BesideThreads}};
  return RunModes(argc, argv, kModes, ARRAY_SIZE(kModes));
}
