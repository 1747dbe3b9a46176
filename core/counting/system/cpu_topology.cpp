#include <algorithm>
#include <map>
#include <set>

#include "core/counting/system/cpu_info.h"
#include "core/util/parse.h"

// Sockets and cores are counted as sets of identifying texts (Places), so that gaps in the kernel's
// numbers, offline CPUs and odd numbering do not matter. sysfs is asked first; /proc/cpuinfo is for
// kernels and recordings without topology folders. A source counts only if it describes all online
// CPUs.

namespace csink {
namespace {

constexpr std::string_view kCpus = "/sys/devices/system/cpu/";
constexpr std::string_view kNodes = "/sys/devices/system/node/";

std::string CpuFile(unsigned cpu, std::string_view name) {
  return std::string(kCpus) + "cpu" + std::to_string(cpu) + "/" + std::string(name);
}

// The numbers of folders such as cpu0 and cpu1 in `folder`, sorted.
std::vector<unsigned> NumberedFolders(const SystemTree& tree, std::string_view folder,
                                      std::string_view prefix) {
  std::vector<unsigned> numbers;
  for (const std::string& name : tree.Names(folder)) {
    if (!name.starts_with(prefix)) continue;
    const Result<std::uint64_t> number =
        ParseUnsigned(std::string_view(name).substr(prefix.size()));
    if (number && *number < SystemTree::kMaxCpus) numbers.push_back(static_cast<unsigned>(*number));
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

// The online CPUs from the first source that has any: the kernel's list, the folders,
// /proc/cpuinfo.
std::vector<unsigned> OnlineCpus(const SystemTree& tree, std::string_view cpuinfo) {
  std::vector<unsigned> cpus = tree.CpuList("/sys/devices/system/cpu/online");
  if (cpus.empty()) cpus = NumberedFolders(tree, kCpus, "cpu");
  if (!cpus.empty()) return cpus;
  while (!cpuinfo.empty()) {
    std::string_view line = NextToken(cpuinfo, '\n');
    if (Trimmed(NextToken(line, ':')) != "processor") continue;
    const Result<std::uint64_t> number = ParseUnsigned(Trimmed(line));
    if (number && *number < SystemTree::kMaxCpus) cpus.push_back(static_cast<unsigned>(*number));
  }
  std::sort(cpus.begin(), cpus.end());
  cpus.erase(std::unique(cpus.begin(), cpus.end()), cpus.end());
  return cpus;
}

// Sockets and cores as one source describes them, by texts that identify them.
struct Places {
  std::set<std::string> sockets;
  std::map<std::string, unsigned> cores;  ///< The core's identification -> its number of threads

  void Add(const std::string& socket, const std::string& core) {
    sockets.insert(socket);
    ++cores[core];
  }
};

// A core is identified by the list of its threads: core_id repeats in other dies and sockets.
Places PlacesOfSysfs(const SystemTree& tree, const std::vector<unsigned>& cpus) {
  Places places;
  for (const unsigned cpu : cpus) {
    const std::string socket = tree.Line(CpuFile(cpu, "topology/physical_package_id"));
    std::string core = tree.Line(CpuFile(cpu, "topology/core_cpus_list"));
    if (core.empty()) core = tree.Line(CpuFile(cpu, "topology/thread_siblings_list"));
    if (socket.empty() || core.empty()) return {};
    places.Add(socket, core);
  }
  return places;
}

// The same from /proc/cpuinfo, which has one block of lines for each CPU. Empty if a block lacks
// its socket or core.
Places PlacesOfCpuinfo(std::string_view cpuinfo, std::size_t cpus) {
  Places places;
  std::size_t seen = 0;
  while (!cpuinfo.empty()) {
    const std::size_t end = std::min(cpuinfo.find("\n\n"), cpuinfo.size());
    const std::string_view block = cpuinfo.substr(0, end);
    cpuinfo.remove_prefix(std::min(end + 2, cpuinfo.size()));
    const std::string socket(FieldOf(block, "physical id"));
    const std::string core(FieldOf(block, "core id"));
    if (socket.empty() || core.empty()) continue;
    places.Add(socket, socket + ":" + core);
    ++seen;
  }
  return seen == cpus ? places : Places{};
}

// The NUMA nodes with their online CPUs and memory. A kernel without NUMA has no folder: then there
// is one node with everything.
std::vector<NumaNode> Nodes(const SystemTree& tree, const std::vector<unsigned>& online) {
  // Nodes without CPUs are listed, too: memory on its own (CXL, HBM) is a node.
  std::vector<unsigned> ids = tree.CpuList("/sys/devices/system/node/online");
  if (ids.empty()) ids = NumberedFolders(tree, kNodes, "node");
  std::vector<NumaNode> nodes;
  for (const unsigned id : ids) {
    const std::string folder = std::string(kNodes) + "node" + std::to_string(id);
    NumaNode node{id, {}, 0};
    for (const unsigned cpu : tree.CpuList(folder + "/cpulist")) {
      // Only CPUs of the topology, so that both lists agree also where a CPU went between the two
      // reads.
      if (std::binary_search(online.begin(), online.end(), cpu)) node.cpus.push_back(cpu);
    }
    const std::string meminfo = tree.Read(folder + "/meminfo");
    // A line of a node's meminfo: "Node 0 MemTotal:  16384 kB".
    const std::string key = "Node " + std::to_string(id) + " MemTotal";
    std::string_view kib = FieldOf(meminfo, key);
    if (const auto total = ParseUnsigned(NextToken(kib, ' '))) node.memory_bytes = *total << 10;
    nodes.push_back(std::move(node));
  }
  if (!nodes.empty()) return nodes;
  const std::string meminfo = tree.Read("/proc/meminfo");
  std::string_view kib = FieldOf(meminfo, "MemTotal");
  const auto total = ParseUnsigned(NextToken(kib, ' '));
  nodes.push_back({0, online, total ? *total << 10 : 0});
  return nodes;
}

}  // namespace

CpuTopology ReadCpuTopology(const SystemTree& tree) {
  const std::string& cpuinfo = tree.Cpuinfo();
  CpuTopology topology;
  topology.cpus = OnlineCpus(tree, cpuinfo);
  topology.nodes = Nodes(tree, topology.cpus);
  if (topology.cpus.empty()) return topology;

  Places places = PlacesOfSysfs(tree, topology.cpus);
  // /proc/cpuinfo only where sysfs has nothing at all: a mixture of both would count cores twice.
  if (places.cores.empty()) places = PlacesOfCpuinfo(cpuinfo, topology.cpus.size());
  if (places.cores.empty()) {  // no source (some virtual machines): each CPU counts as a core
    for (const unsigned cpu : topology.cpus) places.Add("0", std::to_string(cpu));
  }
  const auto sockets = places.sockets.size();
  topology.sockets = static_cast<unsigned>(sockets);
  // Rounded up. Sockets may differ where CPUs are offline, and PAPI has one number for all.
  topology.cores_per_socket = static_cast<unsigned>((places.cores.size() + sockets - 1) / sockets);
  for (const auto& [core, threads] : places.cores) {
    // The most threads: on a hybrid processor E cores have one thread and P cores have two.
    topology.threads_per_core = std::max(topology.threads_per_core, threads);
  }
  return topology;
}

}  // namespace csink
