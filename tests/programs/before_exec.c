// Children that share the memory of their parent and work before their exec or end.
//   before_exec MODE [MS]
// MODE: end (vfork, _exit), exec (vfork, exec of this program), clone (clone, exec), refused (an exec
// that fails, _exit), threads (end, in four threads). Prints the exit codes that were wrong.
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long quota_ms = 150;
static const char* mode;
static char own_path[4096];
static volatile unsigned long sink;

static long CpuMs(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

// The CPU clock of a child begins at 0.
__attribute__((noinline)) static void ChildWork(void) {
  while (CpuMs(CLOCK_PROCESS_CPUTIME_ID) < quota_ms) {
    for (int i = 0; i < 100000; ++i) sink += (unsigned long)i * 3;
  }
}

__attribute__((noinline)) static void ParentWork(long ms) {
  const long end = CpuMs(CLOCK_THREAD_CPUTIME_ID) + ms;
  while (CpuMs(CLOCK_THREAD_CPUTIME_ID) < end) {
    for (int i = 0; i < 100000; ++i) sink ^= (unsigned long)i * 7;
  }
}

static int Child(void* unused) {
  (void)unused;
  ChildWork();
  if (strcmp(mode, "refused") == 0) execl("/nonexistent/program", "program", (char*)0);
  if (strcmp(mode, "exec") == 0 || strcmp(mode, "clone") == 0) {
    execl(own_path, own_path, "return", "7", (char*)0);
    _exit(99);
  }
  _exit(7);
}

static int WrongAnswer(pid_t child) {
  int status = 0;
  return child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status) ||
         WEXITSTATUS(status) != 7;
}

// Not inlined: the child returns into this frame, which must stay as it is.
__attribute__((noinline)) static int OneChild(void) {
  const pid_t child = vfork();
  if (child == 0) Child(NULL);
  return WrongAnswer(child);
}

static int OneClone(void) {
  static char stack[256 * 1024] __attribute__((aligned(16)));
  return WrongAnswer(
      clone(Child, stack + sizeof stack, CLONE_VM | CLONE_VFORK | SIGCHLD, NULL));
}

static void* Thread(void* wrong) {
  ParentWork(20);
  *(int*)wrong = OneChild();
  ParentWork(20);
  return NULL;
}

int main(int argc, char** argv) {
  mode = argc > 1 ? argv[1] : "end";
  if (argc > 2) quota_ms = atol(argv[2]);
  if (strcmp(mode, "return") == 0) return (int)quota_ms;
  const ssize_t length = readlink("/proc/self/exe", own_path, sizeof own_path - 1);
  own_path[length > 0 ? length : 0] = 0;
  int wrong = 0;
  if (strcmp(mode, "threads") == 0) {
    pthread_t threads[4];
    int answers[4] = {0};
    for (int i = 0; i < 4; ++i) pthread_create(&threads[i], NULL, Thread, &answers[i]);
    for (int i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
    for (int i = 0; i < 4; ++i) wrong += answers[i];
  } else {
    for (int round = 0; round < 3; ++round) {
      ParentWork(quota_ms / 3);
      wrong += strcmp(mode, "clone") == 0 ? OneClone() : OneChild();
    }
  }
  printf("wrong %d\n", wrong);
  return 0;
}
