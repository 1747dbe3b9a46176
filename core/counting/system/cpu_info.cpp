#include "core/counting/system/cpu_info.h"

#include <unistd.h>

#include <algorithm>

#include "core/counting/system/cycle_clock.h"

namespace csink {

CpuInfo ReadCpuInfo(const SystemTree& tree, const CpuidFunction& cpuid) {
  CpuInfo info;
  info.identity = ReadCpuIdentity(tree, cpuid);
  // The frequency comes after the topology: it is read on the CPUs that the topology lists.
  info.topology = ReadCpuTopology(tree);
  info.frequency = ReadCpuFrequency(tree, cpuid, info.topology);
  info.virtual_machine = ReadVirtualMachine(tree, cpuid);
  return info;
}

CpuInfo ReadHostCpuInfo() {
  CpuInfo info = ReadCpuInfo(SystemTree(), HostCpuid());
  CpuTopology& topology = info.topology;
  // libpapi must always name a processor, also in a sandbox that hides both.
  if (topology.cpus.empty()) {  // neither /proc nor /sys
    const long online = std::max(1L, sysconf(_SC_NPROCESSORS_ONLN));
    for (unsigned cpu = 0; cpu < static_cast<unsigned>(online); ++cpu) topology.cpus.push_back(cpu);
    topology.sockets = 1;
    topology.cores_per_socket = static_cast<unsigned>(online);
    topology.threads_per_core = 1;
    topology.nodes.front().cpus = topology.cpus;
  }
  CpuFrequency& frequency = info.frequency;
  // HostMhz measures, which takes milliseconds, so it comes last. A constant frequency is the best
  // guess where neither cpufreq nor CPUID tells the range.
  if (frequency.max_mhz == 0) frequency.max_mhz = frequency.min_mhz = HostMhz();
  if (frequency.now_mhz == 0) frequency.now_mhz = frequency.max_mhz;
  return info;
}

}  // namespace csink
