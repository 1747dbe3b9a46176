#pragma once

#include <cstddef>
#include <string>

#include "core/components/counter_set.h"
#include "core/counting/event_opener.h"
#include "core/perf/kernel.h"
#include "core/util/result.h"

namespace csink {

/// What perf_event_open really gives here, found by opening. All but the hardware's figures with a
/// software event, so that a machine without a PMU is not taken for one that refuses.
struct PerfCapabilities {
  Error refusal;           ///< Of a software event of the caller: nothing can be counted
  Error hardware_refusal;  ///< Of instructions and cycles; kOk: they count
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

/// Whether a counter of the caller can be read without a system call.
bool ProbeUserReads(Kernel& kernel, CountingMemory& memory);

/// perf_event_paranoid; -2: not to be read (then perf events are compiled out, or hidden).
int PerfEventParanoid(const char* file = "/proc/sys/kernel/perf_event_paranoid");

/// What `refusal` of a software event means on this machine, in one sentence.
std::string DescribeRefusal(const Error& refusal, int paranoid);
/// The same for hardware events where software events count.
std::string DescribeMissingHardware(const Error& refusal);

}  // namespace csink
