// A program that knows nothing of control and is steered from outside.
//   controlled steps MS N [close|seccomp]   N steps of MS: after each, prints "step I" and reads a line from
//                                   stdin; close: closes every descriptor but 0, 1, 2 before each step
//   controlled sleeps MS            sleeps by nanosleep and poll for MS in all; prints "eintr N"
//   controlled sums MS              prints a checksum of MS x 1,000,000 rounds, and nothing else
//   controlled usr1 MS              handles SIGUSR1 itself; prints "handled N"
//   controlled late MS              installs its handler after 50 ms, raises it, resets it
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "burn.h"

static volatile sig_atomic_t handled;
static void OnSignal(int signal) {
  (void)signal;
  ++handled;
}

__attribute__((noinline)) static void Odd(unsigned long ms) {
  __asm__ volatile("# odd");
  BurnMs(ms);
}
__attribute__((noinline)) static void Even(unsigned long ms) {
  __asm__ volatile("# even");
  BurnMs(ms);
}

static int Steps(unsigned long ms, int steps, int closes) {
  char line[64];
  for (int i = 0; i < steps; ++i) {
    if (closes) {
      for (int fd = 3; fd < 1024; ++fd) close(fd);
    }
    if (i % 2) {
      Odd(ms);
    } else {
      Even(ms);
    }
    printf("step %d\n", i);
    fflush(stdout);
    if (!fgets(line, sizeof line, stdin)) return 1;
  }
  return 0;
}

static uint64_t WallNs(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static int Sleeps(unsigned long ms) {
  int interrupted = 0;
  const uint64_t end = WallNs() + ms * 1000000u;
  while (WallNs() < end) {
    const struct timespec t = {0, 3000000};
    if (nanosleep(&t, NULL) != 0) ++interrupted;
    if (poll(NULL, 0, 3) < 0) ++interrupted;
    BurnShortUs(2000);
  }
  printf("eintr %d\n", interrupted);
  return 0;
}

static int Sums(unsigned long ms) {
  uint64_t x = 1;
  for (unsigned long i = 0; i < ms * 1000000u; ++i) {
    x = x * 6364136223846793005u + 1442695040888963407u;
    __asm__ volatile("" : "+r"(x));
  }
  printf("%016llx\n", (unsigned long long)x);
  return 0;
}

static int Usr1(unsigned long ms, int late) {
  struct sigaction action, old;
  memset(&action, 0, sizeof action);
  action.sa_handler = OnSignal;
  if (late) BurnMs(50);
  sigaction(SIGUSR1, &action, &old);
  printf("default_before %d\n", old.sa_handler == SIG_DFL);
  raise(SIGUSR1);
  BurnMs(ms);
  printf("handled %d\n", (int)handled);
  return 0;
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const unsigned long ms = strtoul(argv[2], NULL, 10);
  if (!strcmp(argv[1], "steps")) return Steps(ms, atoi(argv[3]), argc > 4);
  if (!strcmp(argv[1], "sleeps")) return Sleeps(ms);
  if (!strcmp(argv[1], "sums")) return Sums(ms);
  if (!strcmp(argv[1], "usr1")) return Usr1(ms, 0);
  if (!strcmp(argv[1], "late")) return Usr1(ms, 1);
  return 2;
}
