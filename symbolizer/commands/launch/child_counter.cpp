#include "symbolizer/commands/launch/child_counter.h"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "core/util/raw_syscall.h"
#include "symbolizer/commands/load/perf_allowed.h"

namespace csink::tool {

// Children inherit the disabled event. Each enables its own copy at its first execve(2), so this
// process counts nothing. The counts of children that ended are added to the event.
//
// One event for one child: the kernel exchanges the contexts of parent and child when it switches
// between them (perf_event_context_sched_out), after which the parent's event is no longer armed.
// Measured: the second child of one event is not counted.
int ChildCounter::Open(std::uint32_t type, std::uint64_t config) {
  if (!PerfMayBeOpened()) return EPERM;
  perf_event_attr attr;
  std::memset(&attr, 0, sizeof attr);
  attr.size = PERF_ATTR_SIZE_VER1;  // Accepted by every kernel
  attr.type = type;
  attr.config = config;
  // perf_event_paranoid 2 demands this.
  attr.exclude_kernel = 1;
  attr.exclude_hv = 1;
  attr.inherit = 1;
  attr.disabled = 1;
  attr.enable_on_exec = 1;
  const long fd =
      RawSyscall(SYS_perf_event_open, SyscallArg(&attr), 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
  event_ = fd >= 0 ? UniqueFd(static_cast<int>(fd)) : UniqueFd();
  return fd >= 0 ? 0 : static_cast<int>(-fd);
}

std::uint64_t ChildCounter::Read() const {
  std::uint64_t value = 0;
  if (!event_ || read(event_.get(), &value, sizeof value) != sizeof value) return 0;
  return value;
}

}  // namespace csink::tool
