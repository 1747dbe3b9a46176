#include "agent/probe.h"

#include <sched.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "core/machine/child.h"
#include "core/perf/sampling_attr.h"
#include "core/util/raw_syscall.h"
#include "core/util/unique_fd.h"

namespace csink::agent {
namespace {

perf_event_attr CyclesAttr() noexcept {
  perf_event_attr attr = {};
  attr.size = PERF_ATTR_SIZE_VER0;
  attr.type = PERF_TYPE_HARDWARE;
  attr.config = PERF_COUNT_HW_CPU_CYCLES;
  attr.disabled = 1;
  attr.exclude_kernel = 1;
  attr.exclude_hv = 1;
  return attr;
}

// In a child that shares our memory: nothing but the one system call.
int TryPerf(void*) {
  perf_event_attr attr = CyclesAttr();
  RawSyscall(SYS_perf_event_open, SyscallArg(&attr), 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
  RawSyscall(SYS_exit_group, 0);
  return 0;
}

}  // namespace

bool HasCycles(Kernel& kernel, Error* why) noexcept {
  perf_event_attr attr = CyclesAttr();
  const long r = kernel.PerfEventOpen(&attr, 0);
  if (r >= 0) {
    kernel.Close(static_cast<int>(r));
    return true;
  }
  *why = Error{ErrcFromErrno(static_cast<int>(-r)), static_cast<int>(-r), ""};
  return false;
}

bool PerfIsSurvivable() noexcept {
  constexpr long kModeFilter = 2;
  if (RawSyscall(SYS_prctl, PR_GET_SECCOMP) != kModeFilter) return true;
  int status = 0;
  if (!RunChild(TryPerf, nullptr, &status)) return false;
  return WIFEXITED(status);
}

bool IsSecureExecution() noexcept { return getauxval(AT_SECURE) != 0; }

}  // namespace csink::agent
