#pragma once

#include <cstddef>

#include "core/counting/counter_sets/event_opener.h"
#include "core/counting/counters/counter_set.h"
#include "core/perf/kernel.h"

/// File: what the component perf_event finds out about this machine by trying: permissions, the
/// number of counters, and the cost of reads (docs/design/counting.md).

namespace csink {

/// What perf_event_open(2) permits here, found by trying. Everything except hardware_refusal is
/// tried with a software event, so that a machine without a PMU is not mistaken for one that
/// refuses.
struct PerfCapabilities {
  int refusal = 0;  ///< Errno for a software event of the caller; != 0: nothing can be counted
  int hardware_refusal = 0;  ///< Errno for instructions and cycles; 0: they count
  /// The privilege levels that may be counted; user always.
  CountingDomain domain;
  /// Whether an event may count another thread, a CPU, children of the caller, and may be sampled.
  bool attach = false, attach_cpu = false, inherit = false, sampling = false;
};

/// Probes this machine with a few events that are opened and closed again. Threads: any.
PerfCapabilities ProbePerf(Kernel& kernel) noexcept;

/// The number of hardware events that really count at once; on a hybrid processor that of the core
/// type with the most counters. 0: none.
struct HardwareCounters {
  std::size_t alike = 0;     ///< Instruction events that fit together
  std::size_t together = 0;  ///< These plus cycles, which may have a dedicated counter
};
/// Counts them by opening sets with more and more instruction events, until one is refused. What it
/// learns (dead counters) is also noted in `memory`.
HardwareCounters CountHardwareCounters(Kernel& kernel, CountingMemory& memory);

/// Whether a counter of the caller can be read without a system call. Measures both ways, and notes
/// in `memory` for how many counters that is faster. False on valgrind, which does not implement
/// the instruction (x86: SIGILL). Threads: one at a time, before sets that are to be read in user
/// space are made.
bool ProbeUserReads(Kernel& kernel, CountingMemory& memory);

/// The largest number of counters for which reading each in user space is faster than one read(2)
/// of their group, at most kMaxGroupEvents; 0: none. In a virtual machine the instruction may trap
/// and cost more than the system call.
std::uint16_t UserReadsWorthWhile(std::uint64_t user_read_ns,
                                  std::uint64_t kernel_read_ns) noexcept;

}  // namespace csink
