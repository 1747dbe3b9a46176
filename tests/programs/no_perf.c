// A container in small: runs a program under a seccomp filter that refuses
// perf_event_open, or kills who calls it:
//   no_perf EPERM|EACCES|ENOSYS|ENFILE|KILL|SERVICE|NO-TIMERS PROGRAM [ARG...]
// SERVICE kills at the calls of profilers that systemd's SystemCallFilter=@system-service lacks.
// NO-TIMERS kills at timer_create as well.
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const int error = strcmp(argv[1], "EACCES") == 0   ? EACCES
                    : strcmp(argv[1], "ENOSYS") == 0 ? ENOSYS
                    : strcmp(argv[1], "ENFILE") == 0 ? ENFILE
                                                     : EPERM;
  const int no_timers = strcmp(argv[1], "NO-TIMERS") == 0;
  const int service = no_timers || strcmp(argv[1], "SERVICE") == 0;
  const unsigned answer = service || strcmp(argv[1], "KILL") == 0
                              ? SECCOMP_RET_KILL_PROCESS
                              : SECCOMP_RET_ERRNO | (unsigned)error;
  // The other calls stand for perf_event_open where they are not to be killed.
  const unsigned perf = SYS_perf_event_open;
  struct sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, perf, 5, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, service ? SYS_process_vm_readv : perf, 4, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, service ? SYS_ptrace : perf, 3, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, service ? SYS_kcmp : perf, 2, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, no_timers ? SYS_timer_create : perf, 1, 0),
      BPF_STMT(BPF_JMP | BPF_JA, 1),
      BPF_STMT(BPF_RET | BPF_K, answer),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const struct sock_fprog program = {sizeof code / sizeof code[0], code};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
    perror("no_perf: seccomp");
    return 77;
  }
  execvp(argv[2], argv + 2);
  perror(argv[2]);
  return 127;
}
