#pragma once

/// File: what the programs of the ledger's test share. Each process burns known CPU time and prints
/// how much CPU time it used where nobody waits for it. The sum of wait4(2) and of these lines is
/// what a tree used.

#include <limits.h>
#include <sys/wait.h>
#include <unistd.h>

#include "modes.h"

__attribute__((noinline, unused)) static void ChildWork(unsigned long ms) { BurnMs(ms); }

/// Prints the CPU time of this process for the case that its parent does not wait for it.
static inline void SayNobodyWaits(void) {
  dprintf(1, "also %llu\n", (unsigned long long)ProcessCpuNs());
}

static inline const char* Self(void) {
  static char path[PATH_MAX];
  const ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
  if (n <= 0) _exit(99);
  path[n] = 0;
  return path;
}

/// Starts this program anew in this process, in `mode`. The arguments are made before a vfork(2).
static inline void ExecSelf(const char* path, const char* mode, const char* ms) {
  execl(path, path, mode, ms, (char*)NULL);
  _exit(98);
}

/// The time of the burns as text.
static inline const char* QuotaText(void) {
  static char text[24];
  snprintf(text, sizeof text, "%lu", quota_ms);
  return text;
}

static inline void WaitForAll(void) {
  while (wait(NULL) > 0) {
  }
}

/// A process that burns and ends, as the image that others start.
static inline void Leaf(void) {
  Work(quota_ms);
  _exit(0);
}
