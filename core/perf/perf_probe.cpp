#include "core/perf/perf_probe.h"

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

}  // namespace csink
