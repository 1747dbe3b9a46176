#include "core/perf/perf_probe.h"

#include <sys/prctl.h>
#include <sys/wait.h>

#include "core/machine/child.h"
#include "core/util/raw_syscall.h"

namespace csink {

perf_event_attr UserCounter(unsigned type, std::uint64_t config) noexcept {
  perf_event_attr attr = {};
  attr.size = PERF_ATTR_SIZE_VER0;
  attr.type = type;
  attr.config = config;
  attr.disabled = 1;
  // Otherwise the kernel refuses the event to users from perf_event_paranoid 2 on.
  attr.exclude_kernel = 1;
  attr.exclude_hv = 1;
  return attr;
}

namespace {

// Runs in a child that shares our memory (vfork semantics), so it makes system calls and nothing
// else.
int TryPerf(void*) {
  perf_event_attr attr = UserCounter(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);
  RawSyscall(SYS_perf_event_open, SyscallArg(&attr), 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
  // A filter that kills may also kill only the thread (SECCOMP_RET_KILL_THREAD): the child has one
  // thread, so its status shows that, too. Any exit status is a yes.
  RawSyscall(SYS_exit_group, 0);
  return 0;
}

}  // namespace

int TryOpen(Kernel& kernel, perf_event_attr attr, pid_t tid, int cpu) noexcept {
  const long r = kernel.PerfEventOpen(&attr, tid, cpu, -1);
  if (r < 0) return static_cast<int>(-r);
  kernel.Close(static_cast<int>(r));
  return 0;
}

int TryCounter(Kernel& kernel, unsigned type, std::uint64_t config) noexcept {
  return TryOpen(kernel, UserCounter(type, config));
}

bool HasCycles(Kernel& kernel, Error* why) noexcept {
  const int error = TryCounter(kernel, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);
  if (error == 0) return true;
  *why = Error{ErrcFromErrno(error), error, ""};
  return false;
}

// 2 is SECCOMP_MODE_FILTER (prctl(2)). A process cannot read its own filters without privileges, so
// only a trial shows their answer.
bool PerfIsSurvivable() noexcept {
  constexpr long kModeFilter = 2;
  if (RawSyscall(SYS_prctl, PR_GET_SECCOMP) != kModeFilter) return true;
  int status = 0;
  // No child: the filter may forbid clone as well. Perf is then not tried.
  if (!RunChild(TryPerf, nullptr, &status)) return false;
  return WIFEXITED(status);
}

}  // namespace csink
