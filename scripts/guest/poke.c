/* poke PERIOD PROGRAM [ARG...]
 *
 * Runs PROGRAM and makes the kernel enter once every PERIOD ns of its running
 * time, threads and children included, by a software clock event that nobody
 * reads. Why: QEMU looks for the overflow of a PMU event counter one count early,
 * finds none, and looks again only at the next exception; without this that is the
 * scheduler's tick, 4 ms later, and most overflows are missed. User-mode counts do
 * not change. Exits as PROGRAM does, 128 + signal if it was killed. */
#define _GNU_SOURCE
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static long OpenClock(pid_t target, unsigned long long period_ns) {
  struct perf_event_attr attr;
  memset(&attr, 0, sizeof attr);
  attr.size = sizeof attr;
  attr.type = PERF_TYPE_SOFTWARE;
  attr.config = PERF_COUNT_SW_CPU_CLOCK;
  attr.sample_period = period_ns;
  attr.inherit = 1;
  return syscall(SYS_perf_event_open, &attr, target, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

int main(int argc, char** argv) {
  int gate[2];
  int status = 0;
  char byte = 0;
  if (argc < 3 || pipe(gate) != 0) return 126;
  const pid_t child = fork();
  if (child == 0) {
    close(gate[1]);
    if (read(gate[0], &byte, 1) != 1) _exit(126); /* waits until the event is there */
    close(gate[0]);
    execvp(argv[2], argv + 2);
    perror(argv[2]);
    _exit(127);
  }
  if (child < 0 || OpenClock(child, strtoull(argv[1], NULL, 10)) < 0) {
    perror("poke");
    return 126;
  }
  if (write(gate[1], "x", 1) != 1) return 126;
  while (waitpid(child, &status, 0) < 0) {
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
