#include "compat/atime/energy/energy_total.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace csink::atime {
namespace {

using Names = std::vector<std::string>;

/// An energy of `joules` +- 1 J in 10 s.
EventEnergy Measured(const char* component, const char* name, const char* description,
                     double joules, bool is_counter = true, double seconds = 10) {
  EventEnergy event;
  event.component = component;
  event.name = name;
  event.source = SourceOf(component, name, description);
  event.is_counter = is_counter;
  event.energy = {joules, joules - 1, joules + 1};
  event.seconds = seconds;
  return event;
}

std::vector<EventEnergy> Rapl() {
  return {Measured("rapl", "rapl:::PACKAGE_ENERGY:PACKAGE0", "", 100),
          Measured("rapl", "rapl:::PP0_ENERGY:PACKAGE0", "", 70),
          Measured("rapl", "rapl:::PP1_ENERGY:PACKAGE0", "", 5),
          Measured("rapl", "rapl:::DRAM_ENERGY:PACKAGE0", "", 20),
          Measured("rapl", "rapl:::PACKAGE_ENERGY:PACKAGE1", "", 110)};
}

TEST(EnergyTotal, CountsPackagesAndMemoryOnce) {
  const auto total = TotalOf(Rapl(), 10);
  ASSERT_TRUE(total.has_value());
  EXPECT_EQ(total->names, (Names{"rapl:::PACKAGE_ENERGY:PACKAGE0", "rapl:::DRAM_ENERGY:PACKAGE0",
                                 "rapl:::PACKAGE_ENERGY:PACKAGE1"}));
  EXPECT_DOUBLE_EQ(total->energy.joules, 230);
  EXPECT_DOUBLE_EQ(total->energy.low, 227);
  EXPECT_DOUBLE_EQ(total->energy.high, 233);
  EXPECT_DOUBLE_EQ(total->watts, 23);
  ASSERT_EQ(total->left_out.size(), 2u);
  EXPECT_EQ(total->left_out[0].name, "rapl:::PP0_ENERGY:PACKAGE0");
  EXPECT_EQ(total->left_out[0].why, "part of a package");
}

TEST(EnergyTotal, ThePlatformContainsThePackages) {
  auto energies = Rapl();
  energies.push_back(Measured("rapl", "rapl:::PSYS_ENERGY:PACKAGE0", "", 300));
  EXPECT_DOUBLE_EQ(TotalOf(energies, 10)->energy.joules, 230);
}

TEST(EnergyTotal, WithoutPackagesThePlatformIsTheTotal) {
  const EventEnergy energies[] = {
      Measured("rapl", "rapl:::PSYS_ENERGY:PACKAGE0", "", 300),
      Measured("rapl", "rapl:::DRAM_ENERGY:PACKAGE0", "", 20),
      Measured("powercap", "powercap:::ENERGY_UJ:ZONE1", "Energy used (psys)", 301),
      Measured("nvml", "nvml:::A:energy", "", 50)};
  const auto total = TotalOf(energies, 10);
  EXPECT_EQ(total->names, Names{"rapl:::PSYS_ENERGY:PACKAGE0"});
  EXPECT_EQ(total->left_out.size(), 3u);
}

TEST(EnergyTotal, TheSameRegistersByTwoComponentsAreCountedOnce) {
  auto energies = Rapl();
  energies.push_back(
      Measured("powercap", "powercap:::ENERGY_UJ:ZONE0", "Energy used (package-0)", 100));
  energies.push_back(
      Measured("powercap", "powercap:::ENERGY_UJ:ZONE0_SUBZONE2", "Energy used (dram)", 20));
  energies.push_back(Measured("hwmon", "hwmon:::amd_energy:energy65", "Energy (Esocket0)", 100));
  EXPECT_DOUBLE_EQ(TotalOf(energies, 10)->energy.joules, 230);
}

TEST(EnergyTotal, GpusAreBesideThePackagesEachOnce) {
  auto energies = Rapl();
  energies.push_back(Measured("nvml", "nvml:::A:power", "", 41, false));
  energies.push_back(Measured("nvml", "nvml:::A:energy", "", 40));
  energies.push_back(Measured("nvml", "nvml:::A_1:power", "", 30, false));
  energies.push_back(Measured("nvml", "nvml:::A:power_management_limit", "", 900, false));
  energies.push_back(Measured("ipmi", "ipmi:::SYSTEM_POWER", "", 500, false));
  EXPECT_DOUBLE_EQ(TotalOf(energies, 10)->energy.joules, 300);
}

TEST(EnergyTotal, OfTwoSensorsOfACardThePowerOfTheMomentIsPreferred) {
  const EventEnergy energies[] = {Measured("nvml", "nvml:::A:power", "", 41, false),
                                  Measured("nvml", "nvml:::A:power_instant", "", 43, false)};
  EXPECT_EQ(TotalOf(energies, 10)->names, Names{"nvml:::A:power_instant"});
}

TEST(EnergyTotal, TheNodesControllerMeasuresWhatTheDriversMeasure) {
  std::vector<EventEnergy> energies = {Measured("cray_pm", "cray_pm:::energy", "", 500),
                                       Measured("cray_pm", "cray_pm:::cpu_energy", "", 100),
                                       Measured("cray_pm", "cray_pm:::cpu_power", "", 101, false),
                                       Measured("cray_pm", "cray_pm:::memory_energy", "", 20),
                                       Measured("cray_pm", "cray_pm:::accel0_energy", "", 300)};
  EXPECT_DOUBLE_EQ(TotalOf(energies, 10)->energy.joules, 420);
  for (const EventEnergy& event : Rapl()) energies.push_back(event);
  energies.push_back(Measured("rocm_smi", "rocm_smi:::energy:device_0", "", 290));
  EXPECT_DOUBLE_EQ(TotalOf(energies, 10)->energy.joules, 230 + 290);
}

TEST(EnergyTotal, SaysWhatWasMeasuredForAPartOfTheRun) {
  auto energies = Rapl();
  EXPECT_TRUE(TotalOf(energies, 10.3)->shorter.empty());
  energies.push_back(Measured("nvml", "nvml:::A:energy", "", 40, true, 5));
  EXPECT_EQ(TotalOf(energies, 10)->shorter, Names{"nvml:::A:energy"});
  EXPECT_EQ(TotalOf(Rapl(), 20)->shorter.size(), 3u);
}

TEST(EnergyTotal, OneWithoutAnUpperBoundLeavesTheSumWithoutOne) {
  auto energies = Rapl();
  energies[0].energy.high = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(std::isinf(TotalOf(energies, 10)->energy.high));
  EXPECT_DOUBLE_EQ(TotalOf(energies, 10)->energy.low, 227);
}

TEST(EnergyTotal, ThereIsNoneOfWhatItDoesNotContain) {
  EXPECT_FALSE(TotalOf({}, 1).has_value());
  const EventEnergy energies[] = {Measured("ipmi", "ipmi:::SYSTEM_POWER", "", 500, false)};
  EXPECT_FALSE(TotalOf(energies, 10).has_value());
}

}  // namespace
}  // namespace csink::atime
