#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "tests/core/counting/components/sensors/rapl_rig.h"

namespace csink {
namespace {

using ::testing::ElementsAre;
using testing::OpenedSource;

class RaplSensors : public testing::RaplRig {};

// --- temperatures

TEST_F(RaplSensors, CoretempTellsPackagesAndCores) {
  for (const auto& [number, id] : {std::pair{"4", "0"}, {"11", "3"}}) {
    const std::string folder = std::string("/sys/class/hwmon/hwmon") + number + "/";
    tree_.Add(folder + "name", "coretemp\n");
    tree_.Add(folder + "temp1_label", std::string("Package id ") + id + "\n");
    tree_.Add(folder + "temp1_input", "51999\n");
    tree_.Add(folder + "temp2_label", "Core 0\n");
    tree_.Add(folder + "temp2_input", "48000\n");
    tree_.Add(folder + "temp10_label", "Core 8\n");
    tree_.Add(folder + "temp10_input", *id == '3' ? "-3000\n" : "gone\n");
    tree_.Add(folder + "temp11_label", "Core 77\n");
    tree_.Add(folder + "temp11_input", "1000\n");
  }
  tree_.Add("/sys/class/hwmon/hwmon0/name", "nvme\n");
  OpenedSource load = OpenLoad();
  EXPECT_THAT(load.Names(), ElementsAre("THERM_STATUS:PACKAGE0", "THERM_STATUS:PACKAGE0:CPU0",
                                        "THERM_STATUS:PACKAGE1:CPU1", "THERM_STATUS:PACKAGE1",
                                        "THERM_STATUS:PACKAGE1:CPU0"));
  EXPECT_EQ(load.Value("THERM_STATUS:PACKAGE0"), 51u);
  EXPECT_EQ(static_cast<std::int64_t>(load.Value("THERM_STATUS:PACKAGE1:CPU1")), -3);
  EXPECT_EQ(load.Find("THERM_STATUS:PACKAGE1")->units, "°C");
}

TEST_F(RaplSensors, K10tempTellsPackagesInTheirOrder) {
  const std::string first = "/sys/class/hwmon/hwmon9/", second = "/sys/class/hwmon/hwmon10/";
  tree_.Add(first + "name", "k10temp\n");
  tree_.Add(first + "temp1_label", "Tctl\n");
  tree_.Add(first + "temp1_input", "75000\n");
  tree_.Add(first + "temp2_label", "Tdie\n");
  tree_.Add(first + "temp2_input", "55000\n");
  tree_.Add(second + "name", "k10temp\n");
  tree_.Add(second + "temp1_input", "60000\n");
  OpenedSource load = OpenLoad();
  EXPECT_EQ(load.Value("THERM_STATUS:PACKAGE0"), 55u);
  EXPECT_EQ(load.Value("THERM_STATUS:PACKAGE1"), 60u);
}

TEST_F(RaplSensors, WithoutHwmonRegistersTellTemperatures) {
  bank_.refusal = {};
  bank_.values[{2, kMsrTemperatureTarget}] = 100 << 16;
  bank_.values[{2, kMsrPackageThermStatus}] = 41 << 16;
  bank_.values[{2, kMsrThermStatus}] = 0x80000000 | 43 << 16;
  OpenedSource load = OpenLoad();
  EXPECT_EQ(load.Value("THERM_STATUS:PACKAGE1"), 59u);
  EXPECT_EQ(load.Value("THERM_STATUS:PACKAGE1:CPU0"), 57u);
  EXPECT_EQ(load.Find("THERM_STATUS:PACKAGE0"), nullptr);
}

// --- frequencies

TEST_F(RaplSensors, CpufreqTellsWhatIsNow) {
  tree_.Add("/sys/devices/system/cpu/cpu1/cpufreq/scaling_cur_freq", "2600123\n");
  OpenedSource load = OpenLoad();
  EXPECT_THAT(load.Names(),
              ElementsAre("AVG_FREQUENCY:PACKAGE0:CPU1", "EFF_FREQUENCY:PACKAGE0:CPU1"));
  EXPECT_EQ(load.Value("EFF_FREQUENCY:PACKAGE0:CPU1"), 2'600'123u);
  EXPECT_EQ(load.Find("AVG_FREQUENCY:PACKAGE0:CPU1")->units, "kHz");
}

TEST_F(RaplSensors, RegistersTellFrequenciesBetweenTwoReads) {
  bank_.refusal = {};
  for (unsigned cpu = 0; cpu < 4; ++cpu) {
    bank_.values[{cpu, kMsrTsc}] = 1'000;
    bank_.values[{cpu, kMsrMperf}] = 500;
    bank_.values[{cpu, kMsrAperf}] = 700;
  }
  OpenedSource load = OpenLoad();
  const DeviceEvent* average = load.Find("AVG_FREQUENCY:PACKAGE1:CPU0");
  const DeviceEvent* effective = load.Find("EFF_FREQUENCY:PACKAGE1:CPU0");
  ASSERT_TRUE(average && effective);
  EXPECT_EQ(average->rate.over.size(), 1u);
  ASSERT_EQ(effective->rate.over.size(), 2u);
  ASSERT_EQ(effective->rate.under.size(), 2u);
  const std::uint32_t places[] = {effective->rate.over[0], effective->rate.over[1],
                                  effective->rate.under[1]};
  std::uint64_t bits[3];
  Error errors[3];
  ASSERT_TRUE(load.source().Read(places, bits, errors));
  EXPECT_EQ(errors[0].code, Errc::kOk);
  EXPECT_THAT(bits, ElementsAre(1'000, 700, 500));
}

// --- memory

TEST_F(RaplSensors, LoadHasNoEnergies) {
  AddIntelRegisters();
  tree_.Add("/proc/meminfo", "MemTotal: 100 kB\nMemFree: 60 kB\n");
  OpenedSource load = OpenLoad();
  EXPECT_EQ(load.Value("MEM_USED"), 40u);
  EXPECT_EQ(load.Find("MEM_USED")->units, "KiB");
  EXPECT_EQ(load.Find("PACKAGE_ENERGY:PACKAGE0"), nullptr);
  EXPECT_EQ(load.Find("THERMAL_SPEC:PACKAGE0"), nullptr);
}

TEST_F(RaplSensors, RaplHasThemAllBesidesItsEnergies) {
  AddZone("0", "package-0", "100");
  tree_.Add("/proc/meminfo", "MemTotal: 100 kB\nMemFree: 60 kB\n");
  tree_.Add("/sys/devices/system/cpu/cpu1/cpufreq/scaling_cur_freq", "2600123\n");
  OpenedSource rapl = Open();
  EXPECT_EQ(rapl.Value("MEM_USED"), 40u);
  EXPECT_EQ(rapl.Value("EFF_FREQUENCY:PACKAGE0:CPU1"), 2'600'123u);
}

}  // namespace
}  // namespace csink
