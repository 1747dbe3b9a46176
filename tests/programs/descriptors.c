// Programs that are rough with descriptors.   descriptors MODE MS [ARG]
//   closeall, closeall_threads: close 3..1023, then open 8 files in folder ARG, which must stay
//   open; closerange: the same by close_range(2) of everything from 3 on; close_stderr: closes both
//   standard streams at exit, as gnulib's close_stdout does; daemonize: double fork with stderr on
//   /dev/null; daemon3: daemon(3); emfile: no descriptor left to open, then N more threads (ARG).
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "burn.h"

enum { kFiles = 8, kMaxThreads = 16 };
static unsigned long quota_ms;

__attribute__((noinline)) void Work(unsigned long ms) { BurnMs(ms); }

static void* Worker(void* unused) {
  Work(quota_ms);
  return unused;
}

static pthread_t threads[kMaxThreads];
static void Start(int n) {
  for (int i = 0; i < n; ++i) pthread_create(&threads[i], NULL, Worker, NULL);
}
static void Join(int n) {
  for (int i = 0; i < n; ++i) pthread_join(threads[i], NULL);
}

static void CloseEach(void) {
  for (int fd = 3; fd < 1024; ++fd) close(fd);
}
static void CloseRange(void) {
#ifdef SYS_close_range
  syscall(SYS_close_range, 3, ~0u, 0);
#endif
}

static int CountAlive(const int* fds, const struct stat* as_opened) {
  int alive = 0;
  for (int i = 0; i < kFiles; ++i) {
    struct stat now;
    alive += fstat(fds[i], &now) == 0 && now.st_ino == as_opened[i].st_ino &&
             now.st_dev == as_opened[i].st_dev && write(fds[i], "x", 1) == 1;
  }
  return alive;
}

static void CloseAll(void (*close_all)(void), int thread_count, const char* folder) {
  int fds[kFiles];
  struct stat opened[kFiles];
  char path[512];
  Work(quota_ms / 2);
  Start(thread_count);
  close_all();
  for (int i = 0; i < kFiles; ++i) {
    snprintf(path, sizeof path, "%s/own%d", folder, i);
    fds[i] = open(path, O_CREAT | O_RDWR, 0600);
    fstat(fds[i], &opened[i]);
  }
  Work(quota_ms);
  Join(thread_count);
  // Threads that come and go afterwards give an agent reasons to close its own.
  Start(thread_count);
  Join(thread_count);
  Work(quota_ms / 2);
  printf("alive %d of %d\n", CountAlive(fds, opened), kFiles);
}

static void CloseStreams(void) {
  fclose(stdout);
  fclose(stderr);
}

static void Daemonize(void) {
  if (fork() != 0) _exit(0);
  setsid();
  if (fork() != 0) _exit(0);
  if (chdir("/") != 0) _exit(1);
  const int null = open("/dev/null", O_RDWR);
  for (int fd = 0; fd < 3; ++fd) dup2(null, fd);
  close(null);
}

static void NoDescriptorLeft(int thread_count) {
  struct rlimit limit;
  Work(quota_ms);
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = 3;
  setrlimit(RLIMIT_NOFILE, &limit);
  Start(thread_count);
  Work(quota_ms);
  Join(thread_count);
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const char* mode = argv[1];
  const char* arg = argc > 3 ? argv[3] : "4";
  quota_ms = strtoul(argv[2], NULL, 10);
  if (strcmp(mode, "closeall") == 0) CloseAll(CloseEach, 0, arg);
  if (strcmp(mode, "closeall_threads") == 0) CloseAll(CloseEach, 4, arg);
  if (strcmp(mode, "closerange") == 0) CloseAll(CloseRange, 0, arg);
  if (strcmp(mode, "close_stderr") == 0) {
    atexit(CloseStreams);
    Work(quota_ms);
  }
  if (strcmp(mode, "cloexec") == 0) {  // node does this to all three of its streams
    for (int fd = 0; fd < 3; ++fd) fcntl(fd, F_SETFD, FD_CLOEXEC);
    Work(quota_ms);
  }
  if (strcmp(mode, "daemonize") == 0) {
    Work(quota_ms);
    Daemonize();
    Work(quota_ms);
  }
  if (strcmp(mode, "daemon3") == 0) {
    Work(quota_ms);
    if (daemon(0, 0) != 0) return 1;
    Work(quota_ms);
  }
  if (strcmp(mode, "emfile") == 0) NoDescriptorLeft(atoi(arg));
  return 0;
}
