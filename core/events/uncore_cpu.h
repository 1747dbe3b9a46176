#pragma once

#include <cstdint>

namespace csink {

/// The first CPU that the kernel lets a PMU of that perf_event_attr.type be opened on: its
/// "cpumask" below /sys/bus/event_source/devices (Documentation/ABI: sysfs-bus-event_source).
/// -1: the PMU has none, it counts on any CPU.
int FirstCpuOfPmu(std::uint32_t type, const char* devices = "/sys/bus/event_source/devices");

}  // namespace csink
