/* Touches PAGES fresh pages itself, as many in a child and as many in a program that it starts, then
 * prints the page faults and the CPU seconds of all by getrusage.
 *   faults PAGES [alone] */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static void touch(long pages) {
  const long size = sysconf(_SC_PAGESIZE);
  char* memory = mmap(NULL, (size_t)(pages * size), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) exit(1);
  madvise(memory, (size_t)(pages * size), MADV_NOHUGEPAGE);
  for (long i = 0; i < pages; ++i) memory[i * size] = 1;
}

int main(int argc, char** argv) {
  const long pages = argc > 1 ? atol(argv[1]) : 1000;
  const int alone = argc > 2 && strcmp(argv[2], "alone") == 0;
  struct rusage own, children;
  touch(pages);
  if (alone) return 0;
  if (fork() == 0) {
    touch(pages);
    _exit(0);
  }
  if (fork() == 0) {
    execl(argv[0], argv[0], argv[1], "alone", (char*)NULL);
    _exit(127);
  }
  while (wait(NULL) > 0) {
  }
  getrusage(RUSAGE_SELF, &own);
  getrusage(RUSAGE_CHILDREN, &children);
  printf("faults %ld\n", own.ru_minflt + own.ru_majflt + children.ru_minflt + children.ru_majflt);
  return 0;
}
