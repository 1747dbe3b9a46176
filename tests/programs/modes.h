#pragma once

/// File: a program of many small modes, so that a test can ask for their names and run
/// each of them.   PROGRAM --modes | PROGRAM MODE [MS]

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "burn.h"

struct Mode {
  const char* name;
  void (*run)(void);
};

/// CPU milliseconds that a mode burns: more than one interval between two drains.
static unsigned long quota_ms = 110;

__attribute__((noinline, unused)) static void Work(unsigned long ms) { BurnMs(ms); }

static inline int RunModes(int argc, char** argv, const struct Mode* modes, size_t count) {
  if (argc > 2) quota_ms = strtoul(argv[2], NULL, 10);
  for (size_t i = 0; argc > 1 && i < count; ++i) {
    if (strcmp(argv[1], "--modes") == 0) {
      puts(modes[i].name);
    } else if (strcmp(argv[1], modes[i].name) == 0) {
      modes[i].run();
      return 7;
    }
  }
  return argc > 1 && strcmp(argv[1], "--modes") == 0 ? 0 : 2;
}
