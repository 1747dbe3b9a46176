#pragma once

#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <string>

#include "core/util/raw_syscall.h"

namespace csink::testing {

using SandboxResult = std::string;
inline constexpr char kSurvived[] = "survived";

/// Thread sanitizer's run-time asks the kernel for memory at any access: no test of it.
#if defined(__SANITIZE_THREAD__)
inline constexpr bool kSandboxUsable = false;
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
inline constexpr bool kSandboxUsable = false;
#else
inline constexpr bool kSandboxUsable = true;
#endif
#else
inline constexpr bool kSandboxUsable = true;
#endif

/// Lets nothing through but exit_group; any other system call is death by SIGSYS.
inline bool ForbidSystemCalls() {
  static sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
  };
  static const sock_fprog program = {sizeof filter / sizeof filter[0], filter};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/// Forks, runs `prepare` in the child, forbids every system call, runs `inside`:
/// kSurvived when that returned 0, else how the child ended.
template <class Prepare, class Inside>
SandboxResult InSandbox(Prepare prepare, Inside inside) {
  const pid_t child = fork();
  if (child == 0) {
    prepare();
    if (!ForbidSystemCalls()) _exit(77);
    const int code = inside();
    RawSyscall(SYS_exit_group, code);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) return "no child";
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    return signal == SIGSYS ? "made a system call" : "died of signal " + std::to_string(signal);
  }
  const int code = WEXITSTATUS(status);
  return code == 0 ? SandboxResult(kSurvived) : "exited with " + std::to_string(code);
}

}  // namespace csink::testing
