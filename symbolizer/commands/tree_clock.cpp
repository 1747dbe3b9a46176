#include "symbolizer/commands/tree_clock.h"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>

#include "core/util/raw_syscall.h"

namespace csink::tool {

// The event of this process stays disabled, so csink's own time is not counted. The copies that its
// children inherit are enabled by their execve. A clock that only counts has no timer: it adds no
// interrupts.
TreeClock::TreeClock() {
  perf_event_attr attr;
  std::memset(&attr, 0, sizeof attr);
  attr.size = PERF_ATTR_SIZE_VER1;  // Accepted by every kernel
  attr.type = PERF_TYPE_SOFTWARE;
  attr.config = PERF_COUNT_SW_TASK_CLOCK;
  attr.disabled = 1;
  attr.inherit = 1;
  attr.enable_on_exec = 1;
  // perf_event_paranoid 2 demands this. A task clock that only counts includes kernel mode all the
  // same.
  attr.exclude_kernel = 1;
  attr.exclude_hv = 1;
  const long fd =
      RawSyscall(SYS_perf_event_open, SyscallArg(&attr), 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
  if (fd >= 0) event_ = UniqueFd(static_cast<int>(fd));
}

std::uint64_t TreeClock::NowNs() const {
  std::uint64_t value = 0;
  if (!event_ || read(event_.get(), &value, sizeof value) != sizeof value) return 0;
  return value;
}

}  // namespace csink::tool
