#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/counting/components/device/device_sources.h"
#include "tests/fakes/opened_source.h"
#include "tests/fakes/recorded_tree.h"

namespace csink {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::OpenedSource;
using testing::RecordedTree;

// The files are those of Documentation/hwmon: amd_energy.rst, amdgpu's in Documentation/gpu, and
// acpi_power_meter.rst.
class Hwmon : public ::testing::Test {
 protected:
  void Add(const std::string& chip, const std::string& file, const std::string& text) {
    tree_.Add("/sys/class/hwmon/hwmon" + chip + "/" + file, text + "\n");
  }
  OpenedSource Open() { return OpenedSource(MakeHwmonSource(tree_.tree())); }
  RecordedTree tree_;
};

TEST_F(Hwmon, CoretempNamesReadingsByFolderAndFile) {
  Add("10", "name", "coretemp");
  Add("10", "temp1_input", "50000");
  Add("10", "temp1_label", "Package id 0");
  Add("10", "temp1_max", "100000");
  Add("2", "name", "nct6775");
  Add("2", "in0_input", "1016");
  Add("2", "fan2_input", "1200");
  Add("2", "temp7_input", "-5000");
  Add("2", "power1_input", "1");
  Add("3", "temp1_input", "1");  // without a name it is no chip
  OpenedSource board(MakeCoretempSource(tree_.tree()));
  ASSERT_TRUE(board.ok()) << board.reason();
  EXPECT_THAT(board.Names(), ElementsAre("hwmon2:in0_input", "hwmon2:temp7_input",
                                         "hwmon2:fan2_input", "hwmon10:temp1_input"));
  EXPECT_EQ(board.Value("hwmon10:temp1_input"), 50'000u);
  EXPECT_EQ(static_cast<std::int64_t>(board.Value("hwmon2:temp7_input")), -5000);
  EXPECT_EQ(board.Value("hwmon2:fan2_input"), 1200u);
  EXPECT_EQ(board.Find("hwmon10:temp1_input")->description,
            "Temperature, by coretemp (Package id 0)");
  EXPECT_EQ(board.Find("hwmon2:in0_input")->units, "mV");
  EXPECT_FALSE(board.Find("hwmon2:in0_input")->accumulates);
  Add("2", "in0_input", "99999999");
  EXPECT_EQ(board.Try("hwmon2:in0_input").error().code, Errc::kCorrupt);
}

TEST_F(Hwmon, WithoutSensorsCoretempSaysWhatWouldHaveThem) {
  OpenedSource board(MakeCoretempSource(tree_.tree()));
  EXPECT_FALSE(board.ok());
  EXPECT_THAT(board.reason(), HasSubstr("modules coretemp"));
}

TEST_F(Hwmon, NamesChipsByTheirDrivers) {
  Add("10", "name", "amdgpu");
  Add("10", "power1_average", "31000000");
  Add("9", "name", "amdgpu");
  Add("9", "power1_average", "30000000");
  Add("9", "power1_input", "32000000");
  Add("9", "power1_label", "PPT");
  Add("9", "power1_cap", "203000000");
  Add("9", "temp1_input", "41000");
  Add("2", "name", "amd_energy");
  Add("2", "energy10_input", "1000000");
  Add("2", "energy2_input", "500000");
  Add("2", "energy2_label", "Esocket0");
  Add("1", "name", "coretemp");
  Add("1", "temp1_input", "50000");
  OpenedSource hwmon = Open();
  ASSERT_TRUE(hwmon.ok()) << hwmon.reason();
  EXPECT_THAT(hwmon.Names(),
              ElementsAre("amd_energy:energy2", "amd_energy:energy10", "amdgpu:power1_average",
                          "amdgpu:power1_input", "amdgpu_1:power1_average"));
  EXPECT_EQ(hwmon.Value("amdgpu:power1_average"), 30'000'000u);
  EXPECT_EQ(hwmon.Value("amdgpu_1:power1_average"), 31'000'000u);
  EXPECT_EQ(hwmon.Value("amd_energy:energy10"), 1'000'000u);
  EXPECT_EQ(hwmon.Find("amd_energy:energy2")->description, "Energy used (Esocket0)");
  EXPECT_EQ(hwmon.Find("amd_energy:energy2")->units, "uJ");
  EXPECT_TRUE(hwmon.Find("amd_energy:energy2")->accumulates);
  EXPECT_EQ(hwmon.Find("amdgpu:power1_input")->units, "uW");
  EXPECT_FALSE(hwmon.Find("amdgpu:power1_input")->accumulates);
}

TEST_F(Hwmon, RefusesImpossibleValues) {
  Add("0", "name", "power_meter");
  Add("0", "power1_average", "350000000");
  Add("0", "energy1_input", "7000000000");
  OpenedSource hwmon = Open();
  EXPECT_EQ(hwmon.Value("power_meter:energy1"), 7'000'000'000u);
  Add("0", "power1_average", "18446744073709551");
  EXPECT_EQ(hwmon.Try("power_meter:power1_average").error().code, Errc::kCorrupt);
  Add("0", "energy1_input", "12");
  EXPECT_EQ(hwmon.Try("power_meter:energy1").error().code, Errc::kCorrupt);
  Add("0", "energy1_input", "7000000040");
  Add("0", "power1_average", "-2000000");
  EXPECT_EQ(hwmon.Value("power_meter:energy1"), 7'000'000'040u);
  EXPECT_EQ(static_cast<std::int64_t>(hwmon.Value("power_meter:power1_average")), -2'000'000);
}

TEST_F(Hwmon, SaysWhyItIsOff) {
  Add("0", "name", "coretemp");
  Add("0", "temp1_input", "50000");
  Add("1", "name", "acpitz");
  Add("1", "power1_input", "not a number");
  OpenedSource hwmon = Open();
  EXPECT_FALSE(hwmon.ok());
  EXPECT_THAT(hwmon.reason(), HasSubstr("no driver in /sys/class/hwmon reports power or energy"));
}

}  // namespace
}  // namespace csink
