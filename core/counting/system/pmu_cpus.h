#pragma once

#include <cstdint>
#include <vector>

namespace csink {

/// The kernel's folder of PMUs, one folder each.
inline constexpr char kPmuDevices[] = "/sys/bus/event_source/devices";

/// The processors on which a socket-wide PMU with this perf_event_attr.type must be counted, one
/// for each package or die: its "cpumask" in sysfs
/// (Documentation/ABI/testing/sysfs-bus-event_source-devices-*). Empty: the PMU has no cpumask and
/// counts on any processor. `devices`: the folder of PMUs; tests pass another. Threads: any.
std::vector<int> CpusOfPmu(std::uint32_t type, const char* devices = kPmuDevices);
/// The first of these processors; -1 where there are none. Threads: any.
int FirstCpuOfPmu(std::uint32_t type, const char* devices = kPmuDevices);

/// The perf_event_attr.type of each core PMU of a hybrid processor ("cpu_core", "cpu_atom"),
/// performance cores first; empty: the processor is not hybrid. Threads: any. Signals: not safe
/// (heap), like all of this file.
std::vector<std::uint32_t> HybridPmuTypes(const char* devices = kPmuDevices);

}  // namespace csink
