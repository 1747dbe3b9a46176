#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>

#include "core/counting/components/device/device_sources.h"
#include "tests/fakes/as_nobody.h"
#include "tests/fakes/opened_source.h"
#include "tests/fakes/recorded_tree.h"

namespace csink {
namespace {

using testing::AsNobody;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::OpenedSource;
using testing::RecordedTree;

std::uint64_t g_now_ns = 0;

/// The files of a node as HPE documents them.
class CrayPm : public ::testing::Test {
 protected:
  CrayPm() { g_now_ns = 1'000'000'000; }
  void Add(const std::string& file, const std::string& text) {
    tree_.Add("/sys/cray/pm_counters/" + file, text + "\n");
  }
  OpenedSource Open() {
    return OpenedSource(MakeCrayPmSource(tree_.tree(), []() noexcept { return g_now_ns; }));
  }
  RecordedTree tree_;
};

TEST_F(CrayPm, HasTheFilesWithEnergyAndPower) {
  Add("power", "312 W 1669992345678901 us");
  Add("energy", "5123456 J 1669992345678901 us");
  Add("accel0_energy", "77 J 1669992345678901 us");
  Add("cpu_power", "90 W");  // without a time stamp
  Add("power_cap", "900 W");
  Add("freshness", "1234");
  Add("version", "2");
  Add("cpu0_temp", "45 C 1669992345678901 us");
  OpenedSource node = Open();
  ASSERT_TRUE(node.ok()) << node.reason();
  EXPECT_THAT(node.Names(), ElementsAre("accel0_energy", "cpu_power", "energy", "power"));
  EXPECT_EQ(node.Value("energy"), 5'123'456u);
  EXPECT_EQ(node.Value("power"), 312u);
  EXPECT_EQ(node.Find("energy")->units, "J");
  EXPECT_TRUE(node.Find("energy")->accumulates);
  EXPECT_EQ(node.Find("power")->units, "W");
  EXPECT_FALSE(node.Find("power")->accumulates);
}

TEST_F(CrayPm, AnEnergyThatStepsBackOrIsHugeIsRefused) {
  Add("energy", "1000 J 1 us");
  OpenedSource node = Open();
  EXPECT_EQ(node.Value("energy"), 1000u);
  for (const char* wrong : {"3 J 2 us", "18446744073709551000 J 3 us"}) {
    Add("energy", wrong);
    EXPECT_EQ(node.Try("energy").error().code, Errc::kCorrupt) << wrong;
  }
  Add("energy", "1010 J 4 us");
  EXPECT_EQ(node.Value("energy"), 1010u);
}

TEST_F(CrayPm, WhatIsNoNumberIsRefused) {
  Add("power", "300 W 1 us");
  Add("energy", "10 J 1 us");
  OpenedSource node = Open();
  for (const char* wrong :
       {"nan W 2 us", "-5 W 2 us", "4294967280 W 2 us", "300 J 2 us", "300", "", "W 300"}) {
    Add("power", wrong);
    EXPECT_EQ(node.Try("power").error().code, Errc::kCorrupt) << wrong;
  }
  EXPECT_EQ(node.Value("energy"), 10u) << "the other files are not affected";
  Add("power", "301 W 3 us");
  EXPECT_EQ(node.Value("power"), 301u);
}

TEST_F(CrayPm, AControllerThatHangsIsAnErrorUntilItIsBack) {
  Add("energy", "1000 J 1 us");
  OpenedSource node = Open();
  EXPECT_EQ(node.Value("energy"), 1000u);
  g_now_ns += 9'000'000'000;
  EXPECT_EQ(node.Value("energy"), 1000u) << "the node may be idle, or the controller slow";
  g_now_ns += 2'000'000'000;
  EXPECT_EQ(node.Try("energy").error().sys_errno, ETIMEDOUT);
  Add("energy", "1600 J 2 us");
  EXPECT_EQ(node.Value("energy"), 1600u);
}

TEST_F(CrayPm, AFileThatVanishesIsAnErrorUntilItIsBack) {
  Add("power", "300 W 1 us");
  OpenedSource node = Open();
  Add("power", "");
  EXPECT_EQ(node.Try("power").error().code, Errc::kCorrupt);
  Add("power", "302 W 2 us");
  EXPECT_EQ(node.Value("power"), 302u);
}

TEST_F(CrayPm, SaysWhyItIsOff) {
  OpenedSource node = Open();
  EXPECT_FALSE(node.ok());
  EXPECT_THAT(node.reason(), HasSubstr("only nodes of HPE Cray have it"));
  Add("energy", "10 J 1 us");
  const AsNobody nobody(tree_, "/sys/cray/pm_counters/energy");
  OpenedSource refused = Open();
  EXPECT_FALSE(refused.ok());
  EXPECT_THAT(refused.reason(), HasSubstr("/sys/cray/pm_counters/energy may not be read"));
}

}  // namespace
}  // namespace csink
