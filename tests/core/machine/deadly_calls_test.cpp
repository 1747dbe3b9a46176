#include "core/machine/deadly_calls.h"

#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace csink {
namespace {

constexpr int kNoFilterHere = 77;

/// What FindDeadlyCalls finds in a process whose filter answers `call` with `action`. -1: killed.
int FoundUnder(long call, unsigned action) {
  const pid_t child = fork();
  if (child == 0) {
    sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(call), 0, 1),
        BPF_STMT(BPF_RET | BPF_K, action),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const sock_fprog program = {sizeof code / sizeof code[0], code};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
      _exit(kNoFilterHere);
    }
    FindDeadlyCalls();
    // A wait of the program finds none of the children.
    if (waitpid(-1, nullptr, WNOHANG) != -1) _exit(100);
    _exit(static_cast<int>(DeadlyCalls()));
  }
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

constexpr int Bit(DeadlyCall call) { return static_cast<int>(call); }

TEST(DeadlyCalls, AreNoneWithoutAFilter) {
  FindDeadlyCalls();
  // The machine of the test may run it under a filter that refuses calls with an errno.
  EXPECT_EQ(DeadlyCalls(), 0u);
  EXPECT_FALSE(IsDeadly(DeadlyCall::kPerfEventOpen));
}

TEST(DeadlyCalls, AreThoseThatTheFilterKills) {
  if (FoundUnder(SYS_perf_event_open, SECCOMP_RET_KILL_PROCESS) == kNoFilterHere) {
    GTEST_SKIP() << "no seccomp filter can be installed here";
  }
  for (const unsigned action :
       {SECCOMP_RET_KILL_PROCESS, SECCOMP_RET_KILL_THREAD, SECCOMP_RET_TRAP}) {
    EXPECT_EQ(FoundUnder(SYS_perf_event_open, action), Bit(DeadlyCall::kPerfEventOpen));
    EXPECT_EQ(FoundUnder(SYS_process_vm_readv, action), Bit(DeadlyCall::kProcessVmReadv));
    EXPECT_EQ(FoundUnder(SYS_timer_create, action), Bit(DeadlyCall::kTimerCreate));
  }
}

TEST(DeadlyCalls, AreNoneWhereTheFilterAnswersWithAnErrno) {
  const int found = FoundUnder(SYS_perf_event_open, SECCOMP_RET_ERRNO | 1);
  if (found == kNoFilterHere) GTEST_SKIP() << "no seccomp filter can be installed here";
  EXPECT_EQ(found, 0);
}

}  // namespace
}  // namespace csink
