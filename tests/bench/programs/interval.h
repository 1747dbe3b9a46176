/* What the programs of the section `interval` share: sixteen counters of the kernel's, and the CPU
 * time of the whole process. */
#pragma once

#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define COUNTERS 16
#define INTERVAL_NS 1000000L

static const char* const kCounters[COUNTERS] = {
    "perf::TASK-CLOCK",       "perf::CPU-CLOCK",          "perf::PAGE-FAULTS",
    "perf::CONTEXT-SWITCHES", "perf::CPU-MIGRATIONS",     "perf::MINOR-FAULTS",
    "perf::MAJOR-FAULTS",     "perf::TASK-CLOCK:u",       "perf::CPU-CLOCK:u",
    "perf::PAGE-FAULTS:u",    "perf::CONTEXT-SWITCHES:u", "perf::CPU-MIGRATIONS:u",
    "perf::MINOR-FAULTS:u",   "perf::MAJOR-FAULTS:u",     "perf::PAGE-FAULTS:k",
    "perf::MINOR-FAULTS:k"};

static inline double ProcessCpuNs(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static inline void NeedOk(int code, const char* what) {
  if (code == 0) return;
  fprintf(stderr, "interval: %s: error %d\n", what, code);
  exit(1);
}

// The program that is measured: computes until it is killed.
static inline pid_t StartProgram(void) {
  const pid_t program = fork();
  if (program != 0) return program;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (volatile uint64_t i = 0;;) i = i + 1;
}

static inline void EndProgram(pid_t program) {
  kill(program, SIGKILL);
  waitpid(program, NULL, 0);
}
