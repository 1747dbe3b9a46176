#include "compat/atime/energy/energy_place.h"

#include <gtest/gtest.h>

namespace csink::atime {
namespace {

EnergyPlace PlaceOf(const char* component, const char* event, const char* description = "") {
  return SourceOf(component, event, description).place;
}

TEST(EnergyPlace, OfRaplIsTheDomain) {
  EXPECT_EQ(PlaceOf("rapl", "rapl:::PACKAGE_ENERGY:PACKAGE1"), EnergyPlace::kPackage);
  EXPECT_EQ(PlaceOf("rapl", "DRAM_ENERGY:PACKAGE1"), EnergyPlace::kMemory);
  EXPECT_EQ(PlaceOf("rapl", "rapl:::PP0_ENERGY:PACKAGE0"), EnergyPlace::kPart);
  EXPECT_EQ(PlaceOf("rapl", "rapl:::PP1_ENERGY:PACKAGE0"), EnergyPlace::kPart);
  EXPECT_EQ(PlaceOf("rapl", "rapl:::PSYS_ENERGY:PACKAGE0"), EnergyPlace::kPlatform);
  EXPECT_EQ(PlaceOf("rapl", "rapl:::PACKAGE_ENERGY_CNT:PACKAGE0"), EnergyPlace::kOther);
  EXPECT_EQ(PlaceOf("rapl", "rapl:::THERMAL_SPEC:PACKAGE0"), EnergyPlace::kOther);
}

TEST(EnergyPlace, OfPowercapIsTheNameOfTheZone) {
  const char* zone = "powercap:::ENERGY_UJ:ZONE0_SUBZONE1";
  EXPECT_EQ(PlaceOf("powercap", zone, "Energy used (package-0)"), EnergyPlace::kPackage);
  EXPECT_EQ(PlaceOf("powercap", zone, "Energy used (package-1-die-0)"), EnergyPlace::kPackage);
  EXPECT_EQ(PlaceOf("powercap", zone, "Energy used (dram)"), EnergyPlace::kMemory);
  EXPECT_EQ(PlaceOf("powercap", zone, "Energy used (core)"), EnergyPlace::kPart);
  EXPECT_EQ(PlaceOf("powercap", zone, "Energy used (uncore)"), EnergyPlace::kPart);
  EXPECT_EQ(PlaceOf("powercap", zone, "Energy used (psys)"), EnergyPlace::kPlatform);
  EXPECT_EQ(PlaceOf("powercap", zone, ""), EnergyPlace::kOther);
  EXPECT_EQ(PlaceOf("powercap", "powercap:::POWER_LIMIT_A_UW:ZONE0", "Limit (package-0)"),
            EnergyPlace::kLimit);
}

TEST(EnergyPlace, CounterAndSensorOfACardAreOneDevice) {
  const EnergySource power = SourceOf("nvml", "nvml:::Tesla_K20c:power", "");
  const EnergySource energy = SourceOf("nvml", "nvml:::Tesla_K20c:energy", "");
  EXPECT_EQ(power.place, EnergyPlace::kGpu);
  EXPECT_EQ(energy.place, EnergyPlace::kGpu);
  EXPECT_EQ(power.device, energy.device);
  EXPECT_NE(power.device, SourceOf("nvml", "nvml:::Tesla_K20c_1:power", "").device);
  EXPECT_EQ(PlaceOf("nvml", "nvml:::Tesla_K20c:power_management_limit"), EnergyPlace::kLimit);
}

TEST(EnergyPlace, OfHwmonIsKnownForOneDriver) {
  EXPECT_EQ(PlaceOf("powercap", "powercap:::ENERGY_UJ:arm-scmi:ZONE0", "Energy used (package)"),
            EnergyPlace::kOther);
  EXPECT_EQ(PlaceOf("cray_pm", "cray_pm:::energy", ""), EnergyPlace::kServer);
  EXPECT_EQ(PlaceOf("cray_pm", "cray_pm:::cpu_energy", ""), EnergyPlace::kPackage);
  EXPECT_EQ(PlaceOf("cray_pm", "cray_pm:::memory_power", ""), EnergyPlace::kMemory);
  EXPECT_EQ(PlaceOf("cray_pm", "cray_pm:::accel0_energy", ""), EnergyPlace::kGpu);
  EXPECT_EQ(PlaceOf("rocm_smi", "rocm_smi:::energy:device_0", ""), EnergyPlace::kGpu);
  EXPECT_EQ(PlaceOf("level_zero", "level_zero:::energy:device_0:domain_1", ""), EnergyPlace::kGpu);
  EXPECT_EQ(PlaceOf("hwmon", "hwmon:::amd_energy:energy65", "Energy (Esocket0)"),
            EnergyPlace::kPackage);
  EXPECT_EQ(PlaceOf("hwmon", "hwmon:::amd_energy:energy1", "Energy (Ecore000)"),
            EnergyPlace::kPart);
  EXPECT_EQ(PlaceOf("hwmon", "hwmon:::amdgpu:power1", "Power (PPT)"), EnergyPlace::kOther);
}

TEST(EnergyPlace, AnyOtherNameIsAccepted) {
  EXPECT_EQ(PlaceOf("ipmi", "ipmi:::SYSTEM_POWER"), EnergyPlace::kServer);
  EXPECT_EQ(PlaceOf("maxeler", "maxeler:::fpga_POWER:DEVICE0"), EnergyPlace::kOther);
  for (const char* name : {"", ":", ":::", "rapl:::", "nvml:::power", "::::::"}) {
    for (const char* component : {"rapl", "powercap", "nvml", "hwmon", "ipmi", ""}) {
      EXPECT_GE(SourceOf(component, name, name).steps.update_seconds, 0);
    }
  }
}

}  // namespace
}  // namespace csink::atime
