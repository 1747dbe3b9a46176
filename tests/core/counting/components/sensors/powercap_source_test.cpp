#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

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

class Powercap : public ::testing::Test {
 protected:
  void Add(const std::string& zone, const std::string& file, const std::string& text) {
    tree_.Add("/sys/class/powercap/intel-rapl:" + zone + "/" + file, text + "\n");
  }
  OpenedSource Open() { return OpenedSource(MakePowercapSource(tree_.tree())); }
  RecordedTree tree_;
};

TEST_F(Powercap, HasPAPI7sNames) {
  Add("0", "name", "package-0");
  for (const char* file :
       {"energy_uj", "max_energy_range_uj", "constraint_0_max_power_uw",
        "constraint_0_power_limit_uw", "constraint_0_time_window_us", "constraint_1_max_power_uw",
        "constraint_1_power_limit_uw", "constraint_1_time_window_us", "enabled"}) {
    Add("0", file, "77");
    Add("0:1", file, "88");
  }
  Add("0:1", "name", "dram");
  Add("10", "name", "package-1");
  Add("10", "energy_uj", "5");
  OpenedSource zones = Open();
  ASSERT_TRUE(zones.ok());
  EXPECT_THAT(
      zones.Names(),
      ElementsAre("ENERGY_UJ:ZONE0", "MAX_ENERGY_RANGE_UJ:ZONE0", "MAX_POWER_A_UW:ZONE0",
                  "POWER_LIMIT_A_UW:ZONE0", "TIME_WINDOW_A_US:ZONE0", "MAX_POWER_B_UW:ZONE0",
                  "POWER_LIMIT_B_UW:ZONE0", "TIME_WINDOW_B_US:ZONE0", "ENABLED:ZONE0", "NAME:ZONE0",
                  "ENERGY_UJ:ZONE0_SUBZONE1", "MAX_ENERGY_RANGE_UJ:ZONE0_SUBZONE1",
                  "MAX_POWER_A_UW:ZONE0_SUBZONE1", "POWER_LIMIT_A_UW:ZONE0_SUBZONE1",
                  "TIME_WINDOW_A_US:ZONE0_SUBZONE1", "ENABLED:ZONE0_SUBZONE1",
                  "NAME:ZONE0_SUBZONE1", "ENERGY_UJ:ZONE10", "NAME:ZONE10"));
  EXPECT_THAT(zones.Find("TIME_WINDOW_B_US:ZONE0")->aliases, ElementsAre("TIME_WINDOW_B:ZONE0"));
  EXPECT_EQ(zones.Find("NAME:ZONE0_SUBZONE1")->description, "dram");
  EXPECT_EQ(zones.Value("NAME:ZONE10"), 1u);
  EXPECT_EQ(zones.Value("POWER_LIMIT_A_UW:ZONE0_SUBZONE1"), 88u);
  EXPECT_FALSE(zones.Find("POWER_LIMIT_A_UW:ZONE0")->accumulates);
  EXPECT_TRUE(zones.Find("ENERGY_UJ:ZONE0")->accumulates);
}

// The names of zones and files are those of drivers/powercap/arm_scmi_powercap.c and dtpm.c.
TEST_F(Powercap, ZonesOfOtherControllersHaveTheControllersName) {
  Add("0", "name", "package-0");
  Add("0", "enabled", "1");
  const auto add = [this](const char* zone, const char* file, const char* text) {
    tree_.Add(std::string("/sys/class/powercap/") + zone + "/" + file, text);
  };
  add("arm-scmi:0", "name", "SOC\n");
  add("arm-scmi:0", "energy_uj", "5000\n");
  add("arm-scmi:0", "power_uw", "2500000\n");
  add("arm-scmi:0:1:2", "name", "CLUSTER\n");
  add("arm-scmi:0:1:2", "energy_uj", "70\n");
  add("dtpm:0", "name", "cpu0-cpufreq\n");
  add("dtpm:0", "power_uw", "900000\n");
  add("arm-scmi", "enabled", "1\n");  // the controller itself
  add("intel-rapl-mmio:0", "name", "package-0\n");
  add("intel-rapl-mmio:0", "energy_uj", "1\n");
  OpenedSource zones = Open();
  EXPECT_THAT(zones.Names(), ElementsAre("ENABLED:ZONE0", "NAME:ZONE0", "ENERGY_UJ:arm-scmi:ZONE0",
                                         "POWER_UW:arm-scmi:ZONE0", "NAME:arm-scmi:ZONE0",
                                         "ENERGY_UJ:arm-scmi:ZONE0_SUBZONE1_SUBZONE2",
                                         "NAME:arm-scmi:ZONE0_SUBZONE1_SUBZONE2",
                                         "POWER_UW:dtpm:ZONE0", "NAME:dtpm:ZONE0"));
  EXPECT_EQ(zones.Find("ENERGY_UJ:arm-scmi:ZONE0")->description, "Energy used (SOC)");
  EXPECT_TRUE(zones.Find("ENERGY_UJ:arm-scmi:ZONE0")->accumulates);
  EXPECT_FALSE(zones.Find("POWER_UW:dtpm:ZONE0")->accumulates);
  EXPECT_EQ(zones.Value("POWER_UW:dtpm:ZONE0"), 900'000u);
}

TEST_F(Powercap, ImpossibleValuesOfOtherControllersAreRefused) {
  const auto set = [this](const char* file, const char* text) {
    tree_.Add(std::string("/sys/class/powercap/arm-scmi:0/") + file, text);
  };
  set("name", "SOC\n");
  set("energy_uj", "5000000\n");
  set("power_uw", "1000\n");
  OpenedSource zones = Open();
  EXPECT_EQ(zones.Value("ENERGY_UJ:arm-scmi:ZONE0"), 5'000'000u);
  for (const char* wrong : {"7\n", "18446744073709551615\n", "-1\n", "nan\n", "\n"}) {
    set("energy_uj", wrong);
    EXPECT_EQ(zones.Try("ENERGY_UJ:arm-scmi:ZONE0").error().code, Errc::kCorrupt) << wrong;
  }
  set("energy_uj", "5000009\n");
  EXPECT_EQ(zones.Value("ENERGY_UJ:arm-scmi:ZONE0"), 5'000'009u);
  for (const char* wrong : {"-5\n", "4294967295000000\n"}) {
    set("power_uw", wrong);
    EXPECT_EQ(zones.Try("POWER_UW:arm-scmi:ZONE0").error().code, Errc::kCorrupt) << wrong;
  }
}

TEST_F(Powercap, EnergiesGoOnOverTheirWraps) {
  Add("0", "name", "package-0");
  Add("0", "max_energy_range_uj", "999999");
  Add("0", "energy_uj", "999990");
  OpenedSource zones = Open();
  EXPECT_EQ(zones.Value("ENERGY_UJ:ZONE0"), 0u);
  Add("0", "energy_uj", "4");
  EXPECT_EQ(zones.Value("ENERGY_UJ:ZONE0"), 14u);
  EXPECT_EQ(zones.Find("ENERGY_UJ:ZONE0")->longest_gap_ns, 1'000'000u) << "1 J at 1000 W";
}

TEST_F(Powercap, SaysWhyItIsOff) {
  OpenedSource zones = Open();
  EXPECT_FALSE(zones.ok());
  EXPECT_THAT(zones.reason(), HasSubstr("intel_rapl_msr is not loaded"));
}

TEST_F(Powercap, AZoneThatVanishesIsAnErrorUntilItIsBack) {
  Add("0", "name", "package-0");
  Add("0", "energy_uj", "10");
  OpenedSource zones = Open();
  EXPECT_EQ(zones.Value("ENERGY_UJ:ZONE0"), 10u);
  Add("0", "energy_uj", "");
  EXPECT_EQ(zones.Try("ENERGY_UJ:ZONE0").error().code, Errc::kCorrupt);
  Add("0", "energy_uj", "12");
  EXPECT_EQ(zones.Value("ENERGY_UJ:ZONE0"), 12u);
}

TEST_F(Powercap, AReadingAboveTheRangeIsRefused) {
  Add("0", "name", "package-0");
  Add("0", "max_energy_range_uj", "262143328850");
  Add("0", "energy_uj", "1000000");
  OpenedSource zones = Open();
  EXPECT_EQ(zones.Value("ENERGY_UJ:ZONE0"), 0u);
  for (const char* wrong : {"262143328851", "9000000000000", "0", "262143328850"}) {
    Add("0", "energy_uj", wrong);
    EXPECT_EQ(zones.Try("ENERGY_UJ:ZONE0").error().code, Errc::kCorrupt) << wrong;
  }
  Add("0", "energy_uj", "1000009");
  EXPECT_EQ(zones.Value("ENERGY_UJ:ZONE0"), 9u);
}

TEST_F(Powercap, EnergiesThatMayNotBeReadAreSaid) {
  Add("0", "name", "package-0");
  Add("0", "energy_uj", "10");
  Add("0", "enabled", "1");
  const AsNobody nobody(tree_, "/sys/class/powercap/intel-rapl:0/energy_uj");
  OpenedSource zones = Open();
  EXPECT_THAT(zones.Names(), ElementsAre("ENABLED:ZONE0", "NAME:ZONE0"));
  EXPECT_THAT(zones.source().missing(), HasSubstr("intel-rapl:0/energy_uj is readable by root only "
                                                  "(needs CAP_DAC_READ_SEARCH, or chmod a+r"));
}

TEST_F(Powercap, NonsenseIsLeftOut) {
  Add("0", "name", "package-0");
  Add("0", "energy_uj", "soon");
  Add("0", "enabled", "99999999999999999999999");
  Add("1", "energy_uj", "5");  // without a name
  Add("99999", "name", "package-1");
  OpenedSource zones = Open();
  EXPECT_THAT(zones.Names(), ElementsAre("NAME:ZONE0"));
}

}  // namespace
}  // namespace csink
