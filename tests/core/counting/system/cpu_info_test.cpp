#include "core/counting/system/cpu_info.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/core/machine/recorded_machines.h"

namespace csink {
namespace {

using ::testing::ElementsAre;
using testing::RecordedTree;

CpuInfo Read(const RecordedTree& machine) { return ReadCpuInfo(machine.tree(), machine.cpuid()); }

TEST(CpuInfo, ReadsAXeonWithTwoSockets) {
  const auto machine = testing::XeonWithTwoSockets();
  const CpuInfo info = Read(*machine);
  EXPECT_EQ(info.identity.vendor, CpuVendor::kIntel);
  EXPECT_EQ(info.identity.vendor_name, "GenuineIntel");
  EXPECT_EQ(info.identity.model_name, "Intel(R) Xeon(R) Gold 6130 CPU @ 2.10GHz");
  EXPECT_EQ(info.identity.family, 6u);
  EXPECT_EQ(info.identity.model, 85u);
  EXPECT_EQ(info.identity.stepping, 4u);
  EXPECT_EQ(info.topology.cpus.size(), 8u);
  EXPECT_EQ(info.topology.sockets, 2u);
  EXPECT_EQ(info.topology.cores_per_socket, 2u);
  EXPECT_EQ(info.topology.threads_per_core, 2u);
  ASSERT_EQ(info.topology.nodes.size(), 2u);
  EXPECT_THAT(info.topology.nodes[1].cpus, ElementsAre(1, 3, 5, 7));
  EXPECT_EQ(info.topology.nodes[0].memory_bytes, std::uint64_t{98304000} << 10);
  EXPECT_EQ(info.topology.nodes[1].memory_bytes, std::uint64_t{99614720} << 10);
  EXPECT_EQ(info.frequency.max_mhz, 3700u);
  EXPECT_EQ(info.frequency.min_mhz, 800u);
  EXPECT_DOUBLE_EQ(info.frequency.now_mhz, 2100.123);
  EXPECT_FALSE(info.virtual_machine.is_virtual);
}

TEST(CpuInfo, CountsOnlineCpusOnly) {
  const auto machine = testing::XeonWithTwoSockets();
  machine->Add("/sys/devices/system/cpu/online", "0,2-3\n");
  const CpuTopology topology = ReadCpuTopology(machine->tree());
  EXPECT_THAT(topology.cpus, ElementsAre(0, 2, 3));
  EXPECT_EQ(topology.sockets, 2u);
  EXPECT_EQ(topology.cores_per_socket, 2u);  // 3 cores in 2 sockets
  EXPECT_EQ(topology.threads_per_core, 1u);
  EXPECT_THAT(topology.nodes[0].cpus, ElementsAre(0, 2));
}

TEST(CpuInfo, CountsTheCoresOfAHybridCpu) {
  const auto machine = testing::HybridAlderLake();
  const CpuInfo info = Read(*machine);
  EXPECT_EQ(info.topology.sockets, 1u);
  EXPECT_EQ(info.topology.cores_per_socket, 6u);
  EXPECT_EQ(info.topology.threads_per_core, 2u);
  EXPECT_EQ(info.frequency.max_mhz, 4900u);
  EXPECT_EQ(info.identity.model, 151u);
}

TEST(CpuInfo, ReadsAnArmServer) {
  const auto machine = testing::ArmServer();
  const CpuInfo info = Read(*machine);
  EXPECT_EQ(info.identity.vendor, CpuVendor::kArm);
  EXPECT_EQ(info.identity.implementer, 0x41u);
  EXPECT_EQ(info.identity.vendor_name, "ARM");
  EXPECT_EQ(info.identity.model_name, "Neoverse-N1");
  EXPECT_EQ(info.identity.model, 0xd0cu);
  EXPECT_EQ(info.identity.variant, 3u);
  EXPECT_EQ(info.identity.stepping, 1u);
  EXPECT_EQ(info.topology.cores_per_socket, 4u);
  EXPECT_EQ(info.frequency.max_mhz, 3000u);
  EXPECT_FALSE(info.virtual_machine.is_virtual);
}

TEST(CpuInfo, KnowsAnArmCpuByItsRegisterAlone) {
  const RecordedTree machine(
      {{"/sys/devices/system/cpu/cpu0/regs/identification/midr_el1", "0x00000000413fd0c1\n"}});
  const CpuIdentity identity = ReadCpuIdentity(machine.tree(), NoCpuid());
  EXPECT_EQ(identity.model_name, "Neoverse-N1");
  EXPECT_EQ(identity.variant, 3u);
  EXPECT_EQ(identity.stepping, 1u);
}

TEST(CpuInfo, ReadsAVirtualMachineThatTellsLittle) {
  const auto machine = testing::BareVirtualMachine();
  const CpuInfo info = Read(*machine);
  EXPECT_EQ(info.topology.cpus.size(), 4u);
  EXPECT_EQ(info.topology.sockets, 1u);
  EXPECT_EQ(info.topology.cores_per_socket, 4u);
  EXPECT_EQ(info.topology.threads_per_core, 1u);
  ASSERT_EQ(info.topology.nodes.size(), 1u);
  EXPECT_EQ(info.topology.nodes[0].memory_bytes, std::uint64_t{4096000} << 10);
  EXPECT_EQ(info.frequency.max_mhz, 2100u);
  EXPECT_TRUE(info.virtual_machine.is_virtual);
  EXPECT_EQ(info.virtual_machine.vendor, "KVMKVMKVM");
}

TEST(CpuInfo, TakesSocketsFromCpuinfoWithoutTopologyFiles) {
  std::string cpuinfo;
  for (int cpu = 0; cpu < 4; ++cpu) {
    cpuinfo += "processor : " + std::to_string(cpu) + "\nphysical id : " + std::to_string(cpu / 2) +
               "\ncore id : 0\n\n";
  }
  const RecordedTree machine({{"/proc/cpuinfo", cpuinfo}});
  const CpuTopology topology = ReadCpuTopology(machine.tree());
  EXPECT_EQ(topology.sockets, 2u);
  EXPECT_EQ(topology.cores_per_socket, 1u);
  EXPECT_EQ(topology.threads_per_core, 2u);
}

TEST(CpuInfo, SaysNothingOfAnEmptyTree) {
  const RecordedTree machine;
  const CpuInfo info = Read(machine);
  EXPECT_EQ(info.identity.vendor, CpuVendor::kUnknown);
  EXPECT_EQ(info.identity.model_name, "");
  EXPECT_TRUE(info.topology.cpus.empty());
  EXPECT_EQ(info.topology.sockets, 0u);
  EXPECT_EQ(info.topology.nodes.size(), 1u);
  EXPECT_EQ(info.frequency.max_mhz, 0u);
  EXPECT_FALSE(info.virtual_machine.is_virtual);
}

TEST(CpuInfo, SurvivesNonsense) {
  RecordedTree machine({{"/proc/cpuinfo", std::string(100'000, ':')},
                        {"/sys/devices/system/cpu/online", "0-99999999999999999999,7\n"},
                        {"/sys/devices/system/node/online", "4294967295\n"},
                        {"/sys/devices/system/cpu/cpu3/cpufreq/cpuinfo_max_freq", "-1\n"}});
  machine.Add("/sys/devices/system/cpu/cpu3/topology/physical_package_id", std::string("\0x", 2));
  machine.AddCpuid(0, 0, {});
  machine.AddCpuid(1, 0, {~0u, ~0u, ~0u, ~0u});
  const CpuInfo info = Read(machine);
  EXPECT_THAT(info.topology.cpus, ElementsAre(3));  // the folder, since the list is none
  EXPECT_EQ(info.topology.sockets, 1u);
  EXPECT_EQ(info.frequency.max_mhz, 0u);
}

TEST(VirtualMachine, IsKnownByTheFirmwareWhereCpuidCannotTell) {
  const RecordedTree ec2({{"/sys/class/dmi/id/sys_vendor", "Amazon EC2\n"},
                          {"/sys/class/dmi/id/product_name", "m6g.large\n"}});
  EXPECT_EQ(ReadVirtualMachine(ec2.tree(), NoCpuid()).vendor, "Amazon EC2");
  const RecordedTree metal({{"/sys/class/dmi/id/sys_vendor", "Amazon EC2\n"},
                            {"/sys/class/dmi/id/product_name", "m6g.metal\n"}});
  EXPECT_FALSE(ReadVirtualMachine(metal.tree(), NoCpuid()).is_virtual);
  const RecordedTree qemu({{"/proc/device-tree/model", std::string("linux,dummy-virt\0", 17)}});
  EXPECT_TRUE(ReadVirtualMachine(qemu.tree(), NoCpuid()).is_virtual);
  const RecordedTree xen({{"/sys/hypervisor/type", "xen\n"},
                          {"/sys/hypervisor/version/major", "4\n"},
                          {"/sys/hypervisor/version/minor", "17\n"}});
  EXPECT_EQ(ReadVirtualMachine(xen.tree(), NoCpuid()).version, "4.17");
}

TEST(HostCpuInfo, AgreesWithTheKernel) {
  const CpuInfo info = ReadHostCpuInfo();
  EXPECT_EQ(info.topology.cpus.size(), static_cast<std::size_t>(sysconf(_SC_NPROCESSORS_ONLN)));
  EXPECT_GE(info.topology.sockets, 1u);
  EXPECT_GE(info.topology.sockets * info.topology.cores_per_socket * info.topology.threads_per_core,
            info.topology.cpus.size());
  EXPECT_GT(info.frequency.max_mhz, 0u);
  EXPECT_NE(info.identity.model_name, "");
  std::uint64_t memory = 0;
  for (const NumaNode& node : info.topology.nodes) memory += node.memory_bytes;
  const auto pages = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES));
  // Less where a virtual machine's memory was plugged in later: no node's file has that.
  EXPECT_GT(memory, 0u);
  EXPECT_LE(memory, pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)));
}

}  // namespace
}  // namespace csink
