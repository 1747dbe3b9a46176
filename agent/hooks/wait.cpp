#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "agent/libc/real.h"
#include "agent/process/program_observer.h"
#include "core/util/raw_syscall.h"

/// File: the wait functions, interposed to learn how children end and what CPU time they used. In a
/// tree of `csink run` only; elsewhere they are forwarded as they are. libc's functions are called
/// in any case, because they are points of cancellation. Waits inside of libc (system, pclose) are
/// not seen.

namespace csink::agent {
namespace {

constinit Real<pid_t (*)(int*)> g_wait("wait");
constinit Real<pid_t (*)(pid_t, int*, int)> g_waitpid("waitpid");
constinit Real<pid_t (*)(int*, int, struct rusage*)> g_wait3("wait3");
constinit Real<pid_t (*)(pid_t, int*, int, struct rusage*)> g_wait4("wait4");
constinit Real<int (*)(idtype_t, id_t, siginfo_t*, int)> g_waitid("waitid");

// Handlers of SIGCHLD wait, and a look-up is not safe there (Real).
__attribute__((constructor)) void LookUp() noexcept {
  (void)g_wait4.get();
  (void)g_waitpid.get();
}

// The agent, where ends of children are to be noted.
ProgramObserver* Watcher() noexcept {
  ProgramObserver* agent = TheObserver();
  return agent && agent->WantsChildEnds() ? agent : nullptr;
}

// wait4 with what the caller did not ask for. A child that was stopped or continued has not ended.
pid_t Wait(ProgramObserver& agent, pid_t pid, int* status, int options,
           struct rusage* usage) noexcept {
  int own_status = 0;
  struct rusage own_usage = {};
  if (!status) status = &own_status;
  if (!usage) usage = &own_usage;
  const pid_t child = g_wait4.get()(pid, status, options, usage);
  if (child > 0 && (WIFEXITED(*status) || WIFSIGNALED(*status))) {
    agent.ChildEnded(child, *status, *usage);
  }
  return child;
}

// The status of waitpid(2) for a siginfo_t of waitid(2).
int StatusOf(const siginfo_t& info) noexcept {
  const int value = info.si_status;
  if (info.si_code == CLD_EXITED) return (value & 0xff) << 8;
  return (value & 0x7f) | (info.si_code == CLD_DUMPED ? 0x80 : 0);
}

bool IsEnd(const siginfo_t& info) noexcept {
  return info.si_pid != 0 &&
         (info.si_code == CLD_EXITED || info.si_code == CLD_KILLED || info.si_code == CLD_DUMPED);
}

// libc's waitid has no argument for the usage, the system call has one. So libc waits and leaves
// the child waitable, and the system call takes it. Another thread may be faster: then again.
int WaitId(ProgramObserver& agent, idtype_t type, id_t id, siginfo_t* info, int options) noexcept {
  for (;;) {
    siginfo_t seen = {};
    const int r = g_waitid.get()(type, id, &seen, options | WNOWAIT);
    // Nothing has ended, or something else has happened to a child: the call as it is, which does
    // not wait where the other one did not.
    if (r != 0 || !IsEnd(seen)) {
      if (r == 0 && seen.si_pid != 0) {
        return g_waitid.get()(type, id, info, options);
      }
      if (r == 0 && info) *info = seen;
      return r;
    }
    struct rusage usage = {};
    siginfo_t taken = {};
    const long taking = RawSyscall(SYS_waitid, P_PID, seen.si_pid, SyscallArg(&taken),
                                   WEXITED | WNOHANG, SyscallArg(&usage));
    if (taking != 0 || taken.si_pid == 0) continue;
    const int saved = errno;
    agent.ChildEnded(taken.si_pid, StatusOf(taken), usage);
    errno = saved;
    if (info) *info = taken;
    return 0;
  }
}

}  // namespace
}  // namespace csink::agent

using namespace csink::agent;

#define CSINK_EXPORT __attribute__((visibility("default")))

extern "C" {

CSINK_EXPORT pid_t wait(int* status) {
  ProgramObserver* agent = Watcher();
  return agent ? Wait(*agent, -1, status, 0, nullptr) : g_wait.get()(status);
}
CSINK_EXPORT pid_t waitpid(pid_t pid, int* status, int options) {
  ProgramObserver* agent = Watcher();
  return agent ? Wait(*agent, pid, status, options, nullptr)
               : g_waitpid.get()(pid, status, options);
}
CSINK_EXPORT pid_t wait3(int* status, int options, struct rusage* usage) noexcept {
  ProgramObserver* agent = Watcher();
  return agent ? Wait(*agent, -1, status, options, usage) : g_wait3.get()(status, options, usage);
}
CSINK_EXPORT pid_t wait4(pid_t pid, int* status, int options, struct rusage* usage) noexcept {
  ProgramObserver* agent = Watcher();
  return agent ? Wait(*agent, pid, status, options, usage)
               : g_wait4.get()(pid, status, options, usage);
}
CSINK_EXPORT int waitid(idtype_t type, id_t id, siginfo_t* info, int options) {
  ProgramObserver* agent = Watcher();
  const bool takes = (options & WEXITED) != 0 && (options & WNOWAIT) == 0;
  return agent && takes ? WaitId(*agent, type, id, info, options)
                        : g_waitid.get()(type, id, info, options);
}

}  // extern "C"
