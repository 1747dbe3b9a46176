#pragma once

#include <cstdint>
#include <vector>

namespace csink {

inline constexpr char kPmuDevices[] = "/sys/bus/event_source/devices";

/// The processors, one a package (or die), on which a socket-wide PMU of that perf_event_attr.type
/// is counted: its "cpumask" in sysfs (Documentation/ABI: sysfs-bus-event_source). Empty: it has
/// none and counts on any.
std::vector<int> CpusOfPmu(std::uint32_t type, const char* devices = kPmuDevices);
/// The first of them, or -1.
int FirstCpuOfPmu(std::uint32_t type, const char* devices = kPmuDevices);

/// The type numbers of the core PMUs of a hybrid processor ("cpu_core", "cpu_atom"); empty: it is
/// not hybrid.
std::vector<std::uint32_t> HybridPmuTypes(const char* devices = kPmuDevices);

}  // namespace csink
