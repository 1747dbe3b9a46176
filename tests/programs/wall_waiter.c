// A thread waits for children of any kind, for ever, while main works and exits.
//   wall_waiter MS
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "burn.h"

static void* Reap(void* unused) {
  (void)unused;
  while (waitpid(-1, NULL, __WALL) > 0) {
  }
  return NULL;
}

int main(int argc, char** argv) {
  const unsigned long ms = argc > 1 ? strtoul(argv[1], NULL, 10) : 200;
  const pid_t child = fork();
  if (child == 0) {  // somebody to wait for
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (;;) pause();
  }
  pthread_t thread;
  if (child < 0 || pthread_create(&thread, NULL, Reap, NULL) != 0) return 1;
  BurnMs(ms);
  exit(7);
}
