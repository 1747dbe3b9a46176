#pragma once

#include <cstdint>
#include <vector>

namespace csink {

/// The processors, one a package (or die), on which a socket-wide PMU is counted: its "cpumask"
/// in sysfs (Documentation/ABI: sysfs-bus-event_source). Empty: it has none.
std::vector<int> CpusOfPmu(std::uint32_t type,
                           const char* devices = "/sys/bus/event_source/devices");

/// The type numbers of the core PMUs of a hybrid processor ("cpu_core", "cpu_atom"); empty: it is
/// not hybrid.
std::vector<std::uint32_t> HybridPmuTypes(const char* devices = "/sys/bus/event_source/devices");

}  // namespace csink
