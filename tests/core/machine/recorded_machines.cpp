#include "tests/core/machine/recorded_machines.h"

namespace csink::testing {
namespace {

const std::string kCpu = "/sys/devices/system/cpu/";
const std::string kNode = "/sys/devices/system/node/";

struct Place {
  unsigned cpu;
  const char* socket;
  const char* core_cpus;
  const char* max_khz;
};

void AddPlace(RecordedTree& machine, const Place& place) {
  const std::string folder = kCpu + "cpu" + std::to_string(place.cpu);
  machine.Add(folder + "/topology/physical_package_id", std::string(place.socket) + "\n");
  machine.Add(folder + "/topology/core_cpus_list", std::string(place.core_cpus) + "\n");
  machine.Add(folder + "/cpufreq/cpuinfo_max_freq", std::string(place.max_khz) + "\n");
  machine.Add(folder + "/cpufreq/cpuinfo_min_freq", "800000\n");
}

void AddNode(RecordedTree& machine, unsigned id, const std::string& cpus, const std::string& kib) {
  const std::string name = "node" + std::to_string(id);
  machine.Add(kNode + name + "/cpulist", cpus + "\n");
  machine.Add(kNode + name + "/meminfo", "Node " + std::to_string(id) + " MemTotal:       " + kib +
                                             " kB\nNode " + std::to_string(id) +
                                             " MemFree:         1000 kB\n");
}

void AddCache(RecordedTree& machine, const std::string& index, const std::string& level,
              const std::string& type, const std::string& size, const std::string& ways,
              const std::string& sets) {
  const std::string folder = kCpu + "cpu0/cache/index" + index;
  machine.Add(folder + "/level", level + "\n");
  machine.Add(folder + "/type", type + "\n");
  machine.Add(folder + "/size", size + "\n");
  machine.Add(folder + "/coherency_line_size", "64\n");
  machine.Add(folder + "/ways_of_associativity", ways + "\n");
  machine.Add(folder + "/number_of_sets", sets + "\n");
}

std::string X86Block(const std::string& cpu, const std::string& model, const std::string& name,
                     const std::string& more) {
  return "processor\t: " + cpu +
         "\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: " + model +
         "\nmodel name\t: " + name + "\nstepping\t: 4\ncpu MHz\t\t: 2100.123\n" + more + "\n";
}

}  // namespace

std::unique_ptr<RecordedTree> XeonWithTwoSockets() {
  auto machine = std::make_unique<RecordedTree>();
  std::string cpuinfo;
  for (unsigned cpu = 0; cpu < 8; ++cpu) {
    cpuinfo += X86Block(std::to_string(cpu), "85", "Intel(R) Xeon(R) Gold 6130 CPU @ 2.10GHz",
                        "flags\t\t: fpu vme de pse tsc msr\n");
  }
  machine->Add("/proc/cpuinfo", cpuinfo);
  machine->Add(kCpu + "online", "0-7\n");
  constexpr Place kPlaces[] = {
      {0, "0", "0,4", "3700000"}, {1, "1", "1,5", "3700000"}, {2, "0", "2,6", "3700000"},
      {3, "1", "3,7", "3700000"}, {4, "0", "0,4", "3700000"}, {5, "1", "1,5", "3700000"},
      {6, "0", "2,6", "3700000"}, {7, "1", "3,7", "3700000"},
  };
  for (const Place& place : kPlaces) AddPlace(*machine, place);
  machine->Add(kNode + "online", "0-1\n");
  AddNode(*machine, 0, "0,2,4,6", "98304000");
  AddNode(*machine, 1, "1,3,5,7", "99614720");
  AddCache(*machine, "0", "1", "Data", "32K", "8", "64");
  AddCache(*machine, "1", "1", "Instruction", "32K", "8", "64");
  AddCache(*machine, "2", "2", "Unified", "1024K", "16", "1024");
  AddCache(*machine, "3", "3", "Unified", "22528K", "11", "32768");
  machine->AddCpuid(0, 0, {22, 0x756e6547, 0x6c65746e, 0x49656e69});
  machine->AddCpuid(1, 0, {0x00050654, 0, 0x7ffefbff, 0xbfebfbff});
  machine->AddCpuid(2, 0, {0x76036301, 0x00f0b5ff, 0, 0x00c30000});
  return machine;
}

std::unique_ptr<RecordedTree> HybridAlderLake() {
  auto machine = std::make_unique<RecordedTree>();
  std::string cpuinfo;
  for (unsigned cpu = 0; cpu < 8; ++cpu) {
    cpuinfo += X86Block(std::to_string(cpu), "151", "12th Gen Intel(R) Core(TM) i5-12600K",
                        "flags\t\t: fpu vme hybrid_cpu\n");
  }
  machine->Add("/proc/cpuinfo", cpuinfo);
  machine->Add(kCpu + "online", "0-7\n");
  constexpr Place kPlaces[] = {
      {0, "0", "0-1", "4900000"}, {1, "0", "0-1", "4900000"}, {2, "0", "2-3", "4900000"},
      {3, "0", "2-3", "4900000"}, {4, "0", "4", "3600000"},   {5, "0", "5", "3600000"},
      {6, "0", "6", "3600000"},   {7, "0", "7", "3600000"},
  };
  for (const Place& place : kPlaces) AddPlace(*machine, place);
  AddNode(*machine, 0, "0-7", "32768000");
  // Leaf 4: 48 KiB data, 32 KiB instructions, 1.25 MiB, 20 MiB.
  machine->AddCpuid(4, 0, {0x00000121, 0x02c0003f, 63, 0});
  machine->AddCpuid(4, 1, {0x00000122, 0x01c0003f, 63, 0});
  machine->AddCpuid(4, 2, {0x00000143, 0x0240003f, 2047, 0});
  machine->AddCpuid(4, 3, {0x00000163, 0x0240003f, 32767, 0});
  machine->AddCpuid(4, 4, {});
  // Leaf 0x18: code 4K 256 entries 8 ways; load 4K 96 entries 6 ways; shared 4K/2M 2048, 16 ways.
  machine->AddCpuid(0x18, 0, {3, 0, 0, 0});
  machine->AddCpuid(0x18, 1, {0, 0x00080001, 32, 0x022});
  machine->AddCpuid(0x18, 2, {0, 0x00060001, 16, 0x024});
  machine->AddCpuid(0x18, 3, {0, 0x00100003, 128, 0x043});
  return machine;
}

std::unique_ptr<RecordedTree> ArmServer() {
  auto machine = std::make_unique<RecordedTree>();
  std::string cpuinfo;
  for (unsigned cpu = 0; cpu < 4; ++cpu) {
    cpuinfo += "processor\t: " + std::to_string(cpu) +
               "\nBogoMIPS\t: 50.00\nFeatures\t: fp asimd\nCPU implementer\t: 0x41\n"
               "CPU architecture: 8\nCPU variant\t: 0x3\nCPU part\t: 0xd0c\nCPU revision\t: 1\n\n";
  }
  machine->Add("/proc/cpuinfo", cpuinfo);
  machine->Add(kCpu + "online", "0-3\n");
  for (unsigned cpu = 0; cpu < 4; ++cpu) {
    const std::string number = std::to_string(cpu);
    AddPlace(*machine, {cpu, "0", number.c_str(), "3000000"});
  }
  machine->Add(kNode + "online", "0\n");
  AddNode(*machine, 0, "0-3", "16384000");
  AddCache(*machine, "0", "1", "Data", "64K", "4", "256");
  AddCache(*machine, "1", "1", "Instruction", "64K", "4", "256");
  AddCache(*machine, "2", "2", "Unified", "1M", "8", "2048");
  machine->Add(kCpu + "cpu0/cache/index0/write_policy", "WriteBack\n");
  machine->Add(kCpu + "cpu0/cache/index0/allocation_policy", "ReadWriteAllocate\n");
  return machine;
}

std::unique_ptr<RecordedTree> BareVirtualMachine() {
  auto machine = std::make_unique<RecordedTree>();
  std::string cpuinfo;
  for (unsigned cpu = 0; cpu < 4; ++cpu) {
    cpuinfo += X86Block(std::to_string(cpu), "106", "Intel Xeon Processor (Icelake)",
                        "flags\t\t: fpu hypervisor vme\n");
  }
  machine->Add("/proc/cpuinfo", cpuinfo);
  machine->Add("/proc/meminfo", "MemTotal:        4096000 kB\nMemFree: 1 kB\n");
  machine->AddCpuid(1, 0, {0x000606a6, 0, 0x80000000, 0});
  machine->AddCpuid(0x40000000, 0, {0x40000001, 0x4b4d564b, 0x564b4d56, 0x0000004d});
  return machine;
}

}  // namespace csink::testing
