// A program of root's whose children become other users.   other_users MODE MS
//   drop: two children become user 65534 for good and burn MS each;
//   twice: one child burns MS as root, as user 65534, and as user 1; a second one does so from its
//   first user on;
//   limit: the child may write no file (RLIMIT_FSIZE 0), and burns MS; with 2 as status of a child
//   that a signal ended.
#include <grp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "burn.h"

__attribute__((noinline)) void AsRoot(unsigned long ms) { BurnMs(ms); }
__attribute__((noinline)) void AsFirst(unsigned long ms) { BurnMs(ms); }
__attribute__((noinline)) void AsSecond(unsigned long ms) { BurnMs(ms); }

static void Must(int result) {
  if (result != 0) exit(3);
}

static void Child(const char* mode, int number, unsigned long ms) {
  if (strcmp(mode, "limit") == 0) {
    const struct rlimit none = {0, 0};
    Must(setrlimit(RLIMIT_FSIZE, &none));
    AsFirst(ms);
    exit(0);
  }
  const int twice = strcmp(mode, "twice") == 0;
  if (twice && number == 0) AsRoot(ms);
  Must(setgroups(0, NULL));
  if (!twice) {
    Must(setgid(65534));
    Must(setuid(65534));
    AsFirst(ms);
    exit(0);
  }
  Must(setresuid(65534, 65534, 0));
  AsFirst(ms);
  Must(setresuid(0, 0, 0));
  Must(setresuid(1, 1, 1));
  AsSecond(ms);
  exit(0);
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const unsigned long ms = strtoul(argv[2], NULL, 10);
  for (int i = 0; i < 2; ++i) {
    if (fork() == 0) Child(argv[1], i, ms);
  }
  int failed = 0;
  for (int status = 0; wait(&status) > 0;) failed |= status != 0;
  return failed ? 2 : 0;
}
