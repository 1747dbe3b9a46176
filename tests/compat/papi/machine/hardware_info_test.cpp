#include "compat/papi/machine/hardware_info.h"

#include <gtest/gtest.h>

#include <climits>

#include "tests/core/machine/recorded_machines.h"

namespace csink::papi {
namespace {

using testing::RecordedTree;

PAPI_hw_info_t Fill(const RecordedTree& machine) {
  PAPI_hw_info_t info;
  FillHardwareInfo(ReadCpuInfo(machine.tree(), machine.cpuid()),
                   ReadCaches(machine.tree(), machine.cpuid()), ReadTlbs(machine.cpuid()), info);
  return info;
}

TEST(FillHardwareInfo, OfAXeonWithTwoSockets) {
  const PAPI_hw_info_t info = Fill(*testing::XeonWithTwoSockets());
  EXPECT_EQ(info.totalcpus, 8);
  EXPECT_EQ(info.nnodes, 2);
  EXPECT_EQ(info.ncpu, 4);
  EXPECT_EQ(info.sockets, 2);
  EXPECT_EQ(info.cores, 2);
  EXPECT_EQ(info.threads, 2);
  EXPECT_EQ(info.vendor, PAPI_VENDOR_INTEL);
  EXPECT_STREQ(info.vendor_string, "GenuineIntel");
  EXPECT_EQ(info.model, 85);
  EXPECT_EQ(info.revision, 4.0f);
  EXPECT_EQ(info.cpu_max_mhz, 3700);
  EXPECT_EQ(info.cpu_min_mhz, 800);
  EXPECT_FLOAT_EQ(info.mhz, 2100.123f);
  EXPECT_EQ(info.virtualized, 0);
  EXPECT_STREQ(info.virtual_vendor_string, "");
  const PAPI_mh_info_t& hierarchy = info.mem_hierarchy;
  EXPECT_EQ(hierarchy.levels, 3);
  // A program of the 3.5 manual looks at the first two of each: code, then data.
  EXPECT_EQ(hierarchy.level[0].cache[0].type, PAPI_MH_TYPE_INST);
  EXPECT_EQ(hierarchy.level[0].cache[1].type, PAPI_MH_TYPE_DATA);
  EXPECT_EQ(hierarchy.level[0].tlb[0].type, PAPI_MH_TYPE_INST);
  EXPECT_EQ(hierarchy.level[0].tlb[1].type, PAPI_MH_TYPE_DATA);
  EXPECT_EQ(hierarchy.level[0].tlb[1].num_entries, 64);
  EXPECT_EQ(hierarchy.level[0].tlb[2].associativity, SHRT_MAX);
  EXPECT_EQ(hierarchy.level[2].cache[0].size, 23068672);
  EXPECT_EQ(hierarchy.level[2].cache[0].associativity, 11);
}

TEST(FillHardwareInfo, KeepsTheArmImplementersNumber) {
  const PAPI_hw_info_t info = Fill(*testing::ArmServer());
  EXPECT_EQ(info.vendor, PAPI_VENDOR_ARM_ARM);
  EXPECT_STREQ(info.model_string, "Neoverse-N1");
  EXPECT_EQ(info.mem_hierarchy.level[0].cache[1].type,
            PAPI_MH_TYPE_DATA | PAPI_MH_TYPE_WB | PAPI_MH_TYPE_RW_ALLOC);
  EXPECT_EQ(info.mem_hierarchy.level[0].tlb[0].type, PAPI_MH_TYPE_EMPTY);
  CpuIdentity identity;
  identity.vendor = CpuVendor::kArm;
  identity.implementer = 0xc0;  // Ampere has no number of PAPI's
  EXPECT_EQ(VendorNumber(identity), PAPI_VENDOR_ARM);
}

TEST(FillHardwareInfo, OfNothingIsZero) {
  const PAPI_hw_info_t info = Fill(RecordedTree());
  EXPECT_EQ(info.totalcpus, 0);
  EXPECT_EQ(info.nnodes, 1);
  EXPECT_EQ(info.vendor, PAPI_VENDOR_UNKNOWN);
  EXPECT_EQ(info.mem_hierarchy.levels, 0);
}

TEST(FillHardwareInfo, LeavesOutWhatDoesNotFit) {
  std::vector<Cache> caches(10, Cache{1, CacheKind::kData, 1024, 64, 16, 2, {}, {}, {}, {}});
  caches.push_back({5, CacheKind::kUnified, 1, 1, 1, 1, {}, {}, {}, {}});
  caches.push_back(
      {4, CacheKind::kUnified, std::uint64_t{1} << 40, 1, 1, kFullyAssociative, {}, {}, {}, {}});
  CpuInfo cpu;
  cpu.identity.model_name = std::string(1000, 'x');
  PAPI_hw_info_t info;
  FillHardwareInfo(cpu, caches, {}, info);
  EXPECT_EQ(info.mem_hierarchy.levels, 4);
  EXPECT_EQ(info.mem_hierarchy.level[0].cache[PAPI_MH_MAX_LEVELS - 1].size, 1024);
  EXPECT_EQ(info.mem_hierarchy.level[3].cache[0].size, INT_MAX);
  EXPECT_EQ(std::string(info.model_string).size(), std::size_t{PAPI_MAX_STR_LEN - 1});
}

}  // namespace
}  // namespace csink::papi
