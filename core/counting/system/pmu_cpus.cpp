#include "core/counting/system/pmu_cpus.h"

#include <optional>
#include <string>

#include "core/counting/system/system_tree.h"

namespace csink {

std::vector<int> CpusOfPmu(std::uint32_t type, const char* devices) {
  const SystemTree tree;
  for (const std::string& name : tree.Names(devices)) {
    const std::string pmu = std::string(devices) + "/" + name;
    // Numbers of dynamic PMUs are assigned at boot, so the folder is found by its number, not its
    // name.
    if (tree.Number(pmu + "/type") != std::uint64_t{type}) continue;
    // The driver names one CPU of each socket (or die), on which the socket's events must be
    // opened; events on other CPUs of the socket are moved there or refused.
    const std::vector<unsigned> cpus = tree.CpuList(pmu + "/cpumask");
    return {cpus.begin(), cpus.end()};
  }
  return {};
}

int FirstCpuOfPmu(std::uint32_t type, const char* devices) {
  const std::vector<int> cpus = CpusOfPmu(type, devices);
  return cpus.empty() ? -1 : cpus.front();
}

std::vector<std::uint32_t> HybridPmuTypes(const char* devices) {
  const SystemTree tree;
  std::vector<std::uint32_t> types;
  // The names that the kernel gives core PMUs of hybrid x86 processors.
  for (const char* name : {"/cpu_core", "/cpu_atom", "/cpu_lowpower"}) {
    const std::optional<std::uint64_t> type = tree.Number(std::string(devices) + name + "/type");
    if (type) types.push_back(static_cast<std::uint32_t>(*type));
  }
  return types;
}

}  // namespace csink
