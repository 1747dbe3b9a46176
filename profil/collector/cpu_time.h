#pragma once

#include <cstdint>

#include "core/machine/clocks.h"

namespace csink {

/// CPU time of a process in ns, as getrusage(2) gives it.
struct CpuNs {
  std::uint64_t user = 0;
  std::uint64_t system = 0;
  std::uint64_t total() const noexcept { return user + system; }
};

/// CPU time of this process, of all its threads so far. Threads: any. Signals: safe; one system
/// call.
inline CpuNs ProcessCpu() noexcept {
  CpuNs now;
  ProcessCpuNs(&now.user, &now.system);
  return now;
}

}  // namespace csink
