#include "core/counting/system/cache_info.h"

#include <gtest/gtest.h>

#include "tests/core/machine/recorded_machines.h"

namespace csink {
namespace {

using testing::RecordedTree;

std::string Text(const Cache& c) {
  const char* kinds = "IDU";
  const std::string ways = c.ways == kFullyAssociative ? "full" : std::to_string(c.ways);
  return "L" + std::to_string(c.level) + kinds[static_cast<int>(c.kind)] + " " +
         std::to_string(c.size_bytes) + "/" + std::to_string(c.line_bytes) + "/" +
         std::to_string(c.lines) + "/" + ways;
}

std::string Text(const Tlb& t) {
  const char* kinds = "IDU";
  const std::string ways = t.ways == kFullyAssociative ? "full" : std::to_string(t.ways);
  return "L" + std::to_string(t.level) + kinds[static_cast<int>(t.kind)] + " " +
         std::to_string(t.entries) + "x" + std::to_string(t.page_bytes >> 10) + "K/" + ways;
}

template <class T>
std::string Lines(const std::vector<T>& all) {
  std::string text;
  for (const T& one : all) text += Text(one) + "\n";
  return text;
}

TEST(Caches, ComeFromSysfs) {
  const auto machine = testing::XeonWithTwoSockets();
  EXPECT_EQ(Lines(ReadCaches(machine->tree(), machine->cpuid())),
            "L1I 32768/64/512/8\n"
            "L1D 32768/64/512/8\n"
            "L2U 1048576/64/16384/16\n"
            "L3U 23068672/64/360448/11\n");
}

TEST(Caches, ComeFromCpuidWhereSysfsHasNone) {
  const auto machine = testing::HybridAlderLake();
  EXPECT_EQ(Lines(ReadCaches(machine->tree(), machine->cpuid())),
            "L1I 32768/64/512/8\n"
            "L1D 49152/64/768/12\n"
            "L2U 1310720/64/20480/10\n"
            "L3U 20971520/64/327680/10\n");
}

TEST(Caches, KnowPoliciesWhereTheKernelTellsThem) {
  const auto machine = testing::ArmServer();
  const std::vector<Cache> caches = ReadCaches(machine->tree(), machine->cpuid());
  ASSERT_EQ(caches.size(), 3u);
  EXPECT_TRUE(caches[1].writes_back && caches[1].allocates_on_read && caches[1].allocates_on_write);
  EXPECT_FALSE(caches[0].writes_back || caches[0].writes_through);
  EXPECT_EQ(caches[2].size_bytes, 1u << 20);  // "1M"
}

TEST(Caches, WithOneSetAreFullyAssociative) {
  RecordedTree machine;
  machine.AddCpuid(4, 0, {0x00000021, 0x03c0003f, 0, 0});   // 16 ways, one set
  machine.AddCpuid(4, 1, {0x00000241, 0x0000003f, 15, 0});  // says so by bit 9
  const std::vector<Cache> caches = ReadCaches(machine.tree(), machine.cpuid());
  ASSERT_EQ(caches.size(), 2u);
  EXPECT_EQ(caches[0].ways, kFullyAssociative);
}

// An EPYC in a virtual machine whose newer leaf is empty. How associative level 3 is stands there
// alone.
TEST(Caches, ComeFromTheOlderLeavesOfAmdWhereTheNewerIsEmpty) {
  RecordedTree machine;
  machine.AddCpuid(0x8000'001d, 0, {0, 0, 0, 0});
  machine.AddCpuid(0x8000'0005, 0, {0xff60ff40, 0xff60ff40, 0x300c0140, 0x20080140});
  machine.AddCpuid(0x8000'0006, 0, {0x40802040, 0x60804040, 0x04006140, 0x0fe09140});
  EXPECT_EQ(Lines(ReadCaches(machine.tree(), machine.cpuid())),
            "L1I 32768/64/512/8\n"
            "L1D 49152/64/768/12\n"
            "L2U 1048576/64/16384/8\n"
            "L3U 532676608/64/8323072/0\n");
}

TEST(Caches, AreAbsentFromAnEmptyTree) {
  EXPECT_TRUE(ReadCaches(RecordedTree().tree(), NoCpuid()).empty());
}

TEST(Caches, SurviveNonsense) {
  const std::string folder = "/sys/devices/system/cpu/cpu0/cache/index";
  const RecordedTree machine({{folder + "0/level", "99999999999999999999"},
                              {folder + "1/level", "1"},
                              {folder + "1/size", "18446744073709551615G"},
                              {folder + "2/level", "2"},
                              {folder + "2/size", "4K"},
                              {folder + "2/coherency_line_size", "0"},
                              {folder + "2/ways_of_associativity", "-3"}});
  EXPECT_EQ(Lines(ReadCaches(machine.tree(), NoCpuid())), "L2U 4096/0/0/0\n");
}

TEST(Tlbs, ComeFromDescriptors) {
  const auto machine = testing::XeonWithTwoSockets();
  EXPECT_EQ(Lines(ReadTlbs(machine->cpuid())),
            "L1I 64x4K/8\n"
            "L1D 64x4K/4\n"
            "L1I 8x2048K/full\n"
            "L1D 32x2048K/4\n"
            "L1D 4x1048576K/4\n"
            "L2U 1536x4K/6\n"
            "L2U 1536x2048K/6\n"
            "L2U 16x1048576K/4\n");
}

TEST(Tlbs, ComeFromParametersBeforeDescriptors) {
  const auto machine = testing::HybridAlderLake();
  EXPECT_EQ(Lines(ReadTlbs(machine->cpuid())),
            "L1I 256x4K/8\n"
            "L1D 96x4K/6\n"
            "L2U 2048x4K/16\n"
            "L2U 2048x2048K/16\n");
}

TEST(Tlbs, ComeFromAmdsLeaves) {
  RecordedTree machine;
  machine.AddCpuid(0x80000005, 0, {0xff40ff40, 0xff40ff40, 0, 0});
  machine.AddCpuid(0x80000006, 0, {0x64002200, 0x68004200, 0, 0});
  EXPECT_EQ(Lines(ReadTlbs(machine.cpuid())),
            "L1I 64x4K/full\n"
            "L1D 64x4K/full\n"
            "L1I 64x2048K/full\n"
            "L1D 64x2048K/full\n"
            "L2I 512x4K/4\n"
            "L2D 2048x4K/8\n"
            "L2I 512x2048K/2\n"
            "L2D 1024x2048K/8\n");
}

TEST(Tlbs, AreAbsentWithoutCpuid) { EXPECT_TRUE(ReadTlbs(NoCpuid()).empty()); }

}  // namespace
}  // namespace csink
