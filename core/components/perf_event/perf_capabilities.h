#pragma once

#include <cstddef>

#include "core/counter_sets/event_opener.h"
#include "core/counting/counter_set.h"
#include "core/perf/kernel.h"

namespace csink {

/// What perf_event_open really gives here, found by opening. All but the hardware's figures with a
/// software event, so that a machine without a PMU is not taken for one that refuses.
struct PerfCapabilities {
  int refusal = 0;           ///< Errno of a software event of the caller: nothing can be counted
  int hardware_refusal = 0;  ///< Errno of instructions and cycles; 0: they count
  CountingDomain domain;
  bool attach = false, attach_cpu = false, inherit = false, sampling = false;
};

PerfCapabilities ProbePerf(Kernel& kernel) noexcept;

/// How many hardware events really count at once, of the core type with the most of them on hybrid
/// processors. 0: none.
struct HardwareCounters {
  std::size_t alike = 0;     ///< Instructions until no more fit
  std::size_t together = 0;  ///< The same and cycles, which may have a counter of their own
};
HardwareCounters CountHardwareCounters(Kernel& kernel, CountingMemory& memory);

/// Whether a counter of the caller can be read without a system call, and for how many counters
/// that is worth while: times both ways and notes it in `memory`. Not on valgrind, which does not
/// know the instruction (x86: SIGILL).
bool ProbeUserReads(Kernel& kernel, CountingMemory& memory);

/// Up to how many counters reading each in user space is faster than one read(2) of their group: in
/// a virtual machine the instruction may trap and cost more than the system call.
std::uint16_t UserReadsWorthWhile(std::uint64_t user_read_ns,
                                  std::uint64_t kernel_read_ns) noexcept;

}  // namespace csink
