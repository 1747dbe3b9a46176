/* A program that needs every task that its limit (ulimit -u) allows it.
 *
 *   last_place thread   one thread besides main: needs two tasks
 *   last_place fork     a child besides main and a thread: needs three tasks
 *
 * Prints "create N" and "fork N": 0, or the errno. */

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile double sink;

static void* Burn(void* arg) {
  struct timespec now;
  (void)arg;
  do {
    for (int i = 0; i < 100000; ++i) sink += i;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  } while (now.tv_sec == 0 && now.tv_nsec < 300000000);
  return NULL;
}

int main(int argc, char** argv) {
  pthread_t thread;
  const int made = pthread_create(&thread, NULL, Burn, NULL);
  printf("create %d\n", made);
  if (made == 0 && argc > 1 && strcmp(argv[1], "fork") == 0) {
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) _exit(0);
    printf("fork %d\n", child < 0 ? errno : 0);
    if (child > 0) waitpid(child, NULL, 0);
  }
  Burn(NULL);
  if (made == 0) pthread_join(thread, NULL);
  return 0;
}
