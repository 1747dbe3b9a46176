// Waits of known kinds, one function each. Prints how long each function was blocked in it.
//   blocked_kinds MODE MS
//   alone: one thread reads a pipe, sleeps and polls; a forked child writes to the pipe
//   threads: a thread waits for a condition variable and a semaphore, main joins it
//   fork: main waits for a forked child that sleeps;  exec: the child becomes "alone"
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long rounds;  // of 10 ms
static int failed;   // calls that did not do what they should
static int request[2];
static int answer[2];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static sem_t semaphore;

static long long NowNs(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static struct timespec InMs(long ms) {
  struct timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  t.tv_nsec += ms * 1000000;
  if (t.tv_nsec >= 1000000000) {
    t.tv_nsec -= 1000000000;
    ++t.tv_sec;
  }
  return t;
}

static void SleepMs(long ms) {
  const struct timespec t = {ms / 1000, ms % 1000 * 1000000};
  failed += nanosleep(&t, NULL) != 0;
}

// The statements behind the calls keep the calls from becoming jumps.
__attribute__((noinline)) static void ReadPipe(void) {
  char byte = 0;
  failed += write(request[1], &byte, 1) != 1;
  failed += read(answer[0], &byte, 1) != 1;
  __asm__ volatile("");
}
__attribute__((noinline)) static void Sleep(void) {
  SleepMs(3);
  __asm__ volatile("");
}
__attribute__((noinline)) static void Poll(void) {
  struct pollfd nothing = {answer[0], POLLIN, 0};
  failed += poll(&nothing, 1, 2) != 0;
  __asm__ volatile("");
}
__attribute__((noinline)) static void WaitCondition(void) {
  const struct timespec end = InMs(6);
  pthread_mutex_lock(&mutex);
  failed += pthread_cond_timedwait(&condition, &mutex, &end) != ETIMEDOUT;
  pthread_mutex_unlock(&mutex);
  __asm__ volatile("");
}
__attribute__((noinline)) static void WaitSemaphore(void) {
  const struct timespec end = InMs(4);
  failed += sem_timedwait(&semaphore, &end) == 0 || errno != ETIMEDOUT;
  __asm__ volatile("");
}
__attribute__((noinline)) static void Join(pthread_t thread) {
  failed += pthread_join(thread, NULL) != 0;
  __asm__ volatile("");
}
__attribute__((noinline)) static void WaitForChild(pid_t child) {
  int status = 1;
  failed += waitpid(child, &status, 0) != child || status != 0;
  __asm__ volatile("");
}
__attribute__((noinline)) static void ChildSleeps(void) {
  for (long i = 0; i < rounds; ++i) SleepMs(10);
  __asm__ volatile("");
}

static void Took(long long* sum, long long* from) {
  const long long now = NowNs();
  *sum += now - *from;
  *from = now;
}

static void Print(const char* name, long long ns) { printf("blocked %s %lld\n", name, ns); }

// Answers each byte 5 ms later, until the other end is closed.
static void AnswerRequests(void) {
  char byte;
  close(request[1]);
  while (read(request[0], &byte, 1) == 1) {
    SleepMs(5);
    if (write(answer[1], &byte, 1) != 1) break;
  }
  _exit(0);
}

static void Alone(void) {
  long long ns[3] = {0, 0, 0};
  if (pipe(request) != 0 || pipe(answer) != 0) exit(1);
  const pid_t child = fork();
  if (child == 0) AnswerRequests();
  for (long i = 0; i < rounds; ++i) {
    long long from = NowNs();
    ReadPipe();
    Took(&ns[0], &from);
    Sleep();
    Took(&ns[1], &from);
    Poll();
    Took(&ns[2], &from);
  }
  close(request[1]);
  WaitForChild(child);
  Print("ReadPipe", ns[0]);
  Print("Sleep", ns[1]);
  Print("Poll", ns[2]);
}

static void* Worker(void* unused) {
  long long ns[2] = {0, 0};
  for (long i = 0; i < rounds; ++i) {
    long long from = NowNs();
    WaitCondition();
    Took(&ns[0], &from);
    WaitSemaphore();
    Took(&ns[1], &from);
  }
  Print("WaitCondition", ns[0]);
  Print("WaitSemaphore", ns[1]);
  return unused;
}

static void Threads(void) {
  pthread_t worker;
  sem_init(&semaphore, 0, 0);
  if (pthread_create(&worker, NULL, Worker, NULL) != 0) exit(1);
  long long ns = 0;
  long long from = NowNs();
  Join(worker);
  Took(&ns, &from);
  Print("Join", ns);
}

static void Fork(char** argv, int then_exec) {
  const pid_t child = fork();
  if (child == 0) {
    if (then_exec) execl(argv[0], argv[0], "alone", argv[2], (char*)NULL);
    ChildSleeps();
    exit(failed != 0);
  }
  WaitForChild(child);
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  rounds = strtol(argv[2], NULL, 10) / 10;
  if (strcmp(argv[1], "alone") == 0) Alone();
  if (strcmp(argv[1], "threads") == 0) Threads();
  if (strcmp(argv[1], "fork") == 0) Fork(argv, 0);
  if (strcmp(argv[1], "exec") == 0) Fork(argv, 1);
  printf("failed %d\n", failed);
  return failed != 0;
}
