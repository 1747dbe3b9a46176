// One thread for each kind of wait, in a function of its own and for an object of its own. Prints how
// long each function was blocked: clock differences, less CPU time and waiting for a processor.
//   known_waits MS
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define OUTERMOST __attribute__((noinline)) static
// Keeps a call before it from becoming a jump.
#define STAY() __asm__ volatile("")

pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_rwlock_t config_lock = PTHREAD_RWLOCK_INITIALIZER;
pthread_rwlock_t log_lock = PTHREAD_RWLOCK_INITIALIZER;
pthread_mutex_t work_lock = PTHREAD_MUTEX_INITIALIZER;
struct {
  long before;
  pthread_cond_t work;
} queue = {0, PTHREAD_COND_INITIALIZER};
sem_t tokens;
pthread_barrier_t phase;
static int pipe_ends[2];
static int jobs;
static struct {
  pthread_mutex_t lock;
  pthread_cond_t ready;
} * shared;
static char* pages;
static long page_bytes;
static int faults = -1;
static volatile int over;

static long long Clock(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

// Time in which the thread was not blocked: on a processor, or waiting for one.
static long long BusyNs(void) {
  char path[64];
  char text[64] = "";
  long long run = 0;
  long long wait = 0;
  snprintf(path, sizeof path, "/proc/self/task/%ld/schedstat", syscall(SYS_gettid));
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (read(fd, text, sizeof text - 1) > 0) sscanf(text, "%lld %lld", &run, &wait);
  close(fd);
  return run + wait;
}

static void SleepMs(long ms) {
  struct timespec t = {ms / 1000, ms % 1000 * 1000000};
  while (nanosleep(&t, &t) != 0 && errno == EINTR) {
  }
}

// --- the waits -----------------------------------------------------------------------------

OUTERMOST void TakeMutex(void) {
  pthread_mutex_lock(&table_lock);
  pthread_mutex_unlock(&table_lock);
  STAY();
}
OUTERMOST void HoldMutex(void) {
  pthread_mutex_lock(&table_lock);
  SleepMs(60);
  pthread_mutex_unlock(&table_lock);
  STAY();
}
OUTERMOST void ReadConfig(void) {
  pthread_rwlock_rdlock(&config_lock);
  pthread_rwlock_unlock(&config_lock);
  STAY();
}
OUTERMOST void HoldConfig(void) {
  pthread_rwlock_wrlock(&config_lock);
  SleepMs(60);
  pthread_rwlock_unlock(&config_lock);
  STAY();
}
OUTERMOST void WriteLog(void) {
  pthread_rwlock_wrlock(&log_lock);
  pthread_rwlock_unlock(&log_lock);
  STAY();
}
OUTERMOST void HoldLog(void) {
  pthread_rwlock_rdlock(&log_lock);
  SleepMs(60);
  pthread_rwlock_unlock(&log_lock);
  STAY();
}
OUTERMOST void PopWork(void) {
  pthread_mutex_lock(&work_lock);
  while (jobs == 0 && !over) pthread_cond_wait(&queue.work, &work_lock);
  if (jobs > 0) --jobs;
  pthread_mutex_unlock(&work_lock);
  STAY();
}
OUTERMOST void TakeToken(void) {
  while (sem_wait(&tokens) != 0) {
  }
  STAY();
}
OUTERMOST void MeetOthers(void) {
  pthread_barrier_wait(&phase);
  STAY();
}
OUTERMOST void ReadPipe(void) {
  char byte;
  if (read(pipe_ends[0], &byte, 1) != 1) abort();
  STAY();
}
OUTERMOST void RunShell(void) {
  if (system("sleep 0.2") != 0) abort();
  STAY();
}
OUTERMOST void WaitShared(void) {
  pthread_mutex_lock(&shared->lock);
  pthread_cond_wait(&shared->ready, &shared->lock);
  pthread_mutex_unlock(&shared->lock);
  STAY();
}
OUTERMOST void TouchPage(void) {
  static long next;
  ((volatile char*)pages)[next++ * page_bytes] = 1;
  STAY();
}
OUTERMOST void JoinWorker(pthread_t thread) {
  pthread_join(thread, NULL);
  STAY();
}

// --- threads -------------------------------------------------------------------------------

struct Waiter {
  const char* function;
  void (*wait)(void);
  pthread_t thread;
  long tid;
  long long blocked_ns;
};

static void* Repeat(void* arg) {
  struct Waiter* waiter = arg;
  waiter->tid = syscall(SYS_gettid);
  // A name that must not reach a terminal as it is.
  if (strcmp(waiter->function, "ReadPipe") == 0) prctl(PR_SET_NAME, "a\033[2Jb\nc");
  const long long wall = Clock(CLOCK_MONOTONIC);
  const long long busy = BusyNs();
  while (!over) waiter->wait();
  waiter->blocked_ns = Clock(CLOCK_MONOTONIC) - wall - (BusyNs() - busy);
  return NULL;
}

// Holds a lock most of the time. The pause lets the waiter have the lock.
static void* Keep(void* hold) {
  while (!over) {
    ((void (*)(void))hold)();
    SleepMs(4);
  }
  return NULL;
}

static void ServePage(void) {
  static long served;
  struct uffdio_zeropage page = {.range = {(unsigned long)(pages + served++ * page_bytes),
                                           (unsigned long)page_bytes}};
  ioctl(faults, UFFDIO_ZEROPAGE, &page);
}

// Every 50 ms the waiters get what they wait for, until the process ends.
static void* Serve(void* unused) {
  for (;;) {
    SleepMs(50);
    pthread_mutex_lock(&work_lock);
    ++jobs;
    pthread_cond_signal(&queue.work);
    pthread_mutex_unlock(&work_lock);
    sem_post(&tokens);
    if (write(pipe_ends[1], "x", 1) != 1) abort();
    if (faults >= 0) ServePage();
  }
  return unused;
}
// The other thread of the barrier; at last it waits there alone.
static void* Meet(void* unused) {
  for (;;) {
    SleepMs(50);
    pthread_barrier_wait(&phase);
  }
  return unused;
}
static void* TimeOver(void* ms) {
  SleepMs((long)ms);
  over = 1;
  return NULL;
}

// The other process of the shared condition variable.
static void SignalShared(void) {
  for (;;) {
    SleepMs(50);
    pthread_mutex_lock(&shared->lock);
    pthread_cond_signal(&shared->ready);
    pthread_mutex_unlock(&shared->lock);
  }
}

static void MakeShared(void) {
  shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  pthread_mutexattr_t lock;
  pthread_condattr_t ready;
  pthread_mutexattr_init(&lock);
  pthread_condattr_init(&ready);
  pthread_mutexattr_setpshared(&lock, PTHREAD_PROCESS_SHARED);
  pthread_condattr_setpshared(&ready, PTHREAD_PROCESS_SHARED);
  pthread_mutex_init(&shared->lock, &lock);
  pthread_cond_init(&shared->ready, &ready);
}

static int MakePages(long count) {
  page_bytes = sysconf(_SC_PAGESIZE);
  pages = mmap(NULL, count * page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  faults = (int)syscall(SYS_userfaultfd, O_CLOEXEC | UFFD_USER_MODE_ONLY);
  struct uffdio_api api = {.api = UFFD_API};
  struct uffdio_register range = {.range = {(unsigned long)pages, count * page_bytes},
                                  .mode = UFFDIO_REGISTER_MODE_MISSING};
  if (faults >= 0 && ioctl(faults, UFFDIO_API, &api) == 0 &&
      ioctl(faults, UFFDIO_REGISTER, &range) == 0) {
    return 1;
  }
  faults = -1;
  return 0;
}

int main(int argc, char** argv) {
  const long ms = argc > 1 ? atol(argv[1]) : 1000;
  struct Waiter waiters[] = {{.function = "TakeMutex", .wait = TakeMutex},
                             {.function = "ReadConfig", .wait = ReadConfig},
                             {.function = "WriteLog", .wait = WriteLog},
                             {.function = "PopWork", .wait = PopWork},
                             {.function = "TakeToken", .wait = TakeToken},
                             {.function = "MeetOthers", .wait = MeetOthers},
                             {.function = "ReadPipe", .wait = ReadPipe},
                             {.function = "RunShell", .wait = RunShell},
                             {.function = "WaitShared", .wait = WaitShared},
                             {.function = "TouchPage", .wait = TouchPage}};
  size_t count = sizeof waiters / sizeof waiters[0];
  void (*const holds[])(void) = {HoldMutex, HoldConfig, HoldLog};
  pthread_t keepers[3];
  pthread_t server;
  pthread_t meeter;
  pthread_t timer;
  MakeShared();
  const pid_t child = fork();
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    SignalShared();
  }
  sem_init(&tokens, 0, 0);
  pthread_barrier_init(&phase, NULL, 2);
  if (pipe(pipe_ends) != 0) return 1;
  if (!MakePages(ms / 50 + 100)) --count;
  for (int i = 0; i < 3; ++i) pthread_create(&keepers[i], NULL, Keep, (void*)holds[i]);
  SleepMs(10);
  for (size_t i = 0; i < count; ++i) {
    pthread_create(&waiters[i].thread, NULL, Repeat, &waiters[i]);
  }
  pthread_create(&server, NULL, Serve, NULL);
  pthread_create(&meeter, NULL, Meet, NULL);
  pthread_create(&timer, NULL, TimeOver, (void*)ms);
  const long long wall = Clock(CLOCK_MONOTONIC);
  const long long busy = BusyNs();
  JoinWorker(timer);
  printf("blocked JoinWorker %lld %d\n", Clock(CLOCK_MONOTONIC) - wall - (BusyNs() - busy), getpid());
  for (size_t i = 0; i < count; ++i) {
    pthread_join(waiters[i].thread, NULL);
    printf("blocked %s %lld %ld\n", waiters[i].function, waiters[i].blocked_ns, waiters[i].tid);
  }
  kill(child, SIGKILL);
  waitpid(child, NULL, 0);
  return 0;
}
