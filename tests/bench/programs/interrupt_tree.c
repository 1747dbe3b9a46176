/// interrupt_tree PERIOD_NS PROGRAM [ARGUMENT ...]
///
/// Runs a program whose process tree is interrupted as often as a profiler would, by a bare event
/// that nobody reads.
#include <stdio.h>
#include <unistd.h>

#include "tests/bench/programs/bare_event.h"
#include "tests/bench/programs/burn.h"

int main(int argc, char** argv) {
  if (argc < 3) {
    fprintf(stderr, "usage: %s PERIOD_NS PROGRAM [ARGUMENT ...]\n", argv[0]);
    return 2;
  }
  InterruptTree(NumberOrDie(argv[1]));
  execvp(argv[2], argv + 2);
  perror(argv[2]);
  return 127;
}
