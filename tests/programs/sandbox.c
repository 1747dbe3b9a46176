// A program that locks itself in.   sandbox MODE MS_BEFORE MS_AFTER
//   prctl, syscall: a filter that kills on open, openat, openat2 and creat;
//   strict: SECCOMP_MODE_STRICT, where only read, write, exit and sigreturn live;
//   allow_list: a filter that kills on all but what the program itself needs, the way back from a
//   signal's handler not among it; deny_list: one that kills on some calls that it never makes;
//   all_threads: a filter for all threads that kills on all but five calls, beside a busy thread;
//   dumpable: PR_SET_DUMPABLE 0;  perf_off: PR_TASK_PERF_EVENTS_DISABLE;
//   no_more_perf, perf_kills: a filter that refuses perf_event_open, or kills on it, and then
//   After runs in a new thread;
//   no_files: the same, but every call that makes an open file fails with ENFILE, as on a machine
//   whose table of files is full;
//   setuid: becomes user 65534;  chroot: into an empty folder (argument 4).
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#include "burn.h"

__attribute__((noinline)) void Before(unsigned long ms) { BurnMs(ms); }
__attribute__((noinline)) void After(unsigned long ms) { BurnMs(ms); }
// In strict mode even the clock is out of reach.
__attribute__((noinline)) void Blind(unsigned long ms) { SpinRounds(ms * 600000u); }

static int KillOnOpen(int by_syscall) {
  struct sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 3, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat2, 2, 0),
#ifdef SYS_open
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_open, 1, 0),
#else
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 1, 0),
#endif
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
  };
  const struct sock_fprog program = {sizeof code / sizeof code[0], code};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
  if (by_syscall) return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static int RefusePerf(unsigned answer) {
  struct sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, answer),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const struct sock_fprog program = {sizeof code / sizeof code[0], code};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static int RefuseFiles(void) {
  static const unsigned kCalls[] = {SYS_perf_event_open, SYS_openat,        SYS_openat2, SYS_memfd_create,
                                    SYS_pipe2,           SYS_socket,        SYS_eventfd2, SYS_epoll_create1,
                                    SYS_timerfd_create,  SYS_inotify_init1, SYS_pidfd_open};
  enum { kCount = sizeof kCalls / sizeof kCalls[0] };
  struct sock_filter code[kCount + 3];
  code[0] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
  for (unsigned char i = 0; i < kCount; ++i) {
    code[1 + i] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kCalls[i], kCount - i, 0);
  }
  code[kCount + 1] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  code[kCount + 2] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENFILE);
  const struct sock_fprog program = {kCount + 3, code};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

// Kills on the calls of the list, or on all others.
static int KillByList(const unsigned* calls, unsigned char count, int others) {
  struct sock_filter code[32];
  code[0] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
  for (unsigned char i = 0; i < count; ++i) {
    code[1 + i] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, calls[i],
                                               (unsigned char)(count - i), 0);
  }
  const unsigned allow = SECCOMP_RET_ALLOW, kill = SECCOMP_RET_KILL_PROCESS;
  code[count + 1] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, others ? kill : allow);
  code[count + 2] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, others ? allow : kill);
  const struct sock_fprog program = {(unsigned short)(count + 3), code};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static int AllowFew(void) {
  static const unsigned kCalls[] = {SYS_write, SYS_clock_gettime, SYS_exit_group,
                                    SYS_newfstatat, SYS_fstat, SYS_brk, SYS_mmap, SYS_ioctl,
                                    SYS_getrandom};
  return KillByList(kCalls, sizeof kCalls / sizeof kCalls[0], 1);
}

static int DenyFew(void) {
  static const unsigned kCalls[] = {SYS_rt_sigpending, SYS_rt_sigtimedwait, SYS_rt_tgsigqueueinfo,
                                    SYS_pread64,       SYS_clone3,          SYS_prlimit64};
  return KillByList(kCalls, sizeof kCalls / sizeof kCalls[0], 0);
}

static int AllowFewForAllThreads(void) {
  struct sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 5, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 4, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_futex, 3, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_sigreturn, 2, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clock_gettime, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const struct sock_fprog program = {sizeof code / sizeof code[0], code};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
  return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
}

static volatile int busy;

static void* StayBusy(void* unused) {
  (void)unused;
  busy = 1;
  while (busy) SpinRounds(1000);
  return NULL;
}

static void* AfterInThread(void* ms) {
  After((unsigned long)(size_t)ms);
  return NULL;
}

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  const char* mode = argv[1];
  const unsigned long before = strtoul(argv[2], NULL, 10);
  const unsigned long after = strtoul(argv[3], NULL, 10);
  Before(before);
  int failed = 0;
  if (strcmp(mode, "prctl") == 0) failed = KillOnOpen(0);
  if (strcmp(mode, "syscall") == 0) failed = KillOnOpen(1);
  if (strcmp(mode, "allow_list") == 0) failed = AllowFew();
  if (strcmp(mode, "deny_list") == 0) failed = DenyFew();
  if (strcmp(mode, "dumpable") == 0) failed = prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  if (strcmp(mode, "perf_off") == 0) failed = prctl(PR_TASK_PERF_EVENTS_DISABLE, 0, 0, 0, 0);
  if (strcmp(mode, "setuid") == 0) failed = setuid(65534);
  if (strcmp(mode, "chroot") == 0) failed = chroot(argv[4]);
  if (strcmp(mode, "all_threads") == 0) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, StayBusy, NULL) != 0) return 1;
    while (!busy) SpinRounds(1000);
    failed = AllowFewForAllThreads();
    if (failed == 0) {
      After(after);
      if (write(1, "still here\n", 11) != 11) return 1;
      syscall(SYS_exit_group, 0);
    }
  }
  if (strcmp(mode, "strict") == 0) failed = prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
  const int no_files = strcmp(mode, "no_files") == 0;
  const int in_thread =
      no_files || strcmp(mode, "no_more_perf") == 0 || strcmp(mode, "perf_kills") == 0;
  if (no_files) failed = RefuseFiles();
  if (strcmp(mode, "no_more_perf") == 0) failed = RefusePerf(SECCOMP_RET_ERRNO | 1);
  if (strcmp(mode, "perf_kills") == 0) failed = RefusePerf(SECCOMP_RET_KILL_PROCESS);
  if (failed) {
    perror("sandbox");
    return 77;
  }
  if (strcmp(mode, "strict") == 0) {
    Blind(after);
    if (write(1, "still here\n", 11) != 11) return 1;
    syscall(SYS_exit, 0);
  }
  if (in_thread) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, AfterInThread, (void*)(size_t)after) != 0) return 1;
    pthread_join(thread, NULL);
  } else {
    After(after);
  }
  puts("still here");
  return 0;
}
