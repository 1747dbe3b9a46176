#include "symbolizer/commands/load/perf_allowed.h"

#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "core/util/raw_syscall.h"

namespace csink::tool {
namespace {

bool ChildSurvives() {
  const pid_t child = fork();
  if (child == 0) {
    // No core file, and no report of a crash.
    const rlimit no_core = {0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    prctl(PR_SET_DUMPABLE, 0);
    RawSyscall(SYS_perf_event_open, 0, 0, -1, -1, 0);
    _exit(0);
  }
  if (child < 0) return false;
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status);
}

}  // namespace

bool PerfMayBeOpened() {
  static const bool may = prctl(PR_GET_SECCOMP) != SECCOMP_MODE_FILTER || ChildSurvives();
  return may;
}

}  // namespace csink::tool
