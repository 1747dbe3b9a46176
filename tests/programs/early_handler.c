// A fork handler that came before everybody's makes a thread in each child, as ThreadSanitizer does.
//   early_handler COUNT MS   COUNT children; in each, the thread burns MS in Early and main MS in Late.
// Prints "wrong N": children that did not end as they should.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "burn.h"

static unsigned long quota_ms;
static pthread_t early;

__attribute__((noinline)) void Early(unsigned long ms) { BurnMs(ms); }
__attribute__((noinline)) void Late(unsigned long ms) { BurnMs(ms); }

static void* EarlyThread(void* unused) {
  Early(quota_ms);
  return unused;
}

static void InChild(void) { pthread_create(&early, NULL, EarlyThread, NULL); }

// Before the constructor of any library, preloaded ones too.
static void Register(void) { pthread_atfork(NULL, NULL, InChild); }
__attribute__((section(".preinit_array"), used)) static void (*const kRegister)(void) = Register;

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  quota_ms = strtoul(argv[2], NULL, 10);
  int wrong = 0;
  for (int i = 0; i < atoi(argv[1]); ++i) {
    const pid_t child = fork();
    if (child == 0) {
      Late(quota_ms);
      pthread_join(early, NULL);
      exit(i % 7);
    }
    int status = -1;
    waitpid(child, &status, 0);
    wrong += status != i % 7 << 8;
  }
  printf("wrong %d\n", wrong);
  return 0;
}
