#include "core/counting/components/sensors/processor_map.h"

#include <map>
#include <string>
#include <utility>

#include "core/counting/system/cpu_info.h"

namespace csink {

int ProcessorMap::PackageOfCpu(unsigned cpu) const noexcept {
  // Linear: asked once for each CPU of a cpumask, when the component opens.
  for (std::size_t p = 0; p < packages.size(); ++p) {
    for (const Core& core : packages[p].cores) {
      for (const unsigned thread : core.cpus) {
        if (thread == cpu) return static_cast<int>(p);
      }
    }
  }
  return -1;
}

// By the kernel's id, which may have gaps ("package-3" as the second package); events count
// packages without gaps.
int ProcessorMap::PackageOfId(unsigned package_id) const noexcept {
  for (std::size_t p = 0; p < packages.size(); ++p) {
    if (packages[p].package_id == package_id) return static_cast<int>(p);
  }
  return -1;
}

ProcessorMap ReadProcessorMap(const SystemTree& tree) {
  // The key of a core contains its die: core_id repeats in other dies of a package.
  using CoreKey = std::pair<std::uint64_t, std::uint64_t>;
  // Maps sort by id, which gives the numbering of the events.
  std::map<std::uint64_t, std::map<CoreKey, std::vector<unsigned>>> packages;
  for (const unsigned cpu : ReadCpuTopology(tree).cpus) {
    const std::string folder = "/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/";
    const auto package = tree.Number(folder + "physical_package_id");
    const auto core = tree.Number(folder + "core_id");
    const auto die = tree.Number(folder + "die_id");
    // Without a core_id each CPU is a core of its own.
    const CoreKey key{core ? die.value_or(0) : 0, core.value_or(cpu)};
    packages[package.value_or(0)][key].push_back(cpu);
  }
  // The sorted maps become vectors, whose positions are the numbers in event names.
  ProcessorMap processors;
  for (auto& [package_id, cores] : packages) {
    ProcessorMap::Package package{static_cast<unsigned>(package_id), {}};
    for (auto& [key, cpus] : cores) {
      package.cores.push_back({static_cast<unsigned>(key.second), std::move(cpus)});
    }
    processors.packages.push_back(std::move(package));
  }
  return processors;
}

}  // namespace csink
