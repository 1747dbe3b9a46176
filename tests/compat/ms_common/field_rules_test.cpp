#include "compat/ms_common/field_rules.h"

#include <gtest/gtest.h>

#include <bit>
#include <set>

#include "compat/ms_common/include/ms_common_apapi.h"
#include "tests/compat/ms_common/fake_set.h"

namespace csink::ms {
namespace {

/// Fills a fresh structure of that resource from the set.
template <class Measurement>
Measurement Filled(const ResourceRules& rules, FakeSet& set, bool each_sample_only = false) {
  Measurement measurement = {};
  Fill(Bind(rules, set.get()), set.get(), each_sample_only, &measurement);
  return measurement;
}

FakeSet::Event Values(std::string name, double prefix0, double prefix1) {
  FakeSet::Event event;
  event.name = std::move(name);
  event.prefix0 = prefix0;
  event.prefix1 = prefix1;
  return event;
}

// Our energies are nJ: factor 1E9 shows Ws, and nJ/ns is W. 12.5 J in 2.5 s are 5 W.
TEST(FieldRules, EnergiesInNanojouleBecomeMilliwattseconds) {
  FakeSet::Event energy = Values("rapl:::PACKAGE_ENERGY:PACKAGE1", 1e9, 1);
  energy.values0[APAPI_ACC] = 12.5e9L;
  energy.values1[APAPI_AVG] = 5;
  energy.last1 = 6;
  FakeSet set({energy});
  const auto cpu = Filled<MS_MEASUREMENT_CPU>(CpuRules(), set);
  EXPECT_DOUBLE_EQ(cpu.msr_energy_acc[1][PKG], 12500);
  EXPECT_DOUBLE_EQ(cpu.msr_power_avg[1][PKG], 5000);
  EXPECT_DOUBLE_EQ(cpu.msr_power_cur[1][PKG], 6000);
  EXPECT_EQ(cpu.msr_energy_acc[0][PKG], 0);
}

// The units of PAPI 5's rapl: 2^-31 J, whose factors are 2^31 and 2.147483648.
TEST(FieldRules, EnergiesInAnotherUnitDoSoByTheirFactors) {
  FakeSet::Event energy = Values("rapl:::DRAM_ENERGY:PACKAGE0", 2147483648.0, 2.147483648);
  energy.values0[APAPI_ACC] = 3 * 2147483648.0L;
  energy.values1[APAPI_AVG] = 1.5L * 2.147483648L;
  FakeSet set({energy});
  const auto cpu = Filled<MS_MEASUREMENT_CPU>(CpuRules(), set);
  EXPECT_DOUBLE_EQ(cpu.msr_energy_acc[0][DRAM], 3000);
  EXPECT_DOUBLE_EQ(cpu.msr_power_avg[0][DRAM], 1500);
}

TEST(FieldRules, TimesGrowFromTheStartSoTheLargestIsTheWhole) {
  FakeSet::Event work = Values("rapl:::TIME_WORK", 1e3, 1);
  work.data_type = PAPI_DATATYPE_FP64;
  work.values0[APAPI_MAX] = 1234;
  FakeSet::Event util = Values("rapl:::TIME_UTIL", 1, 1);
  util.data_type = PAPI_DATATYPE_FP64;
  util.last0 = std::bit_cast<long long>(37.5);
  util.values0[APAPI_AVG] = 40;
  FakeSet set({work, util});
  const auto cpu = Filled<MS_MEASUREMENT_CPU>(CpuRules(), set);
  EXPECT_DOUBLE_EQ(cpu.measure_util_active_avg, 1.234);
  EXPECT_DOUBLE_EQ(cpu.measure_util_avg, 40);
  EXPECT_DOUBLE_EQ(cpu.measure_util_avg_cur, 37.5);
}

// Where no energy can be read, rapl is disabled and load has the rest.
TEST(FieldRules, TimesAreThoseOfLoadWithoutRapl) {
  FakeSet::Event work = Values("load:::TIME_WORK", 1e3, 1);
  work.data_type = PAPI_DATATYPE_FP64;
  work.values0[APAPI_MAX] = 1234;
  FakeSet set({work});
  EXPECT_DOUBLE_EQ(Filled<MS_MEASUREMENT_CPU>(CpuRules(), set).measure_util_active_avg, 1.234);
}

TEST(FieldRules, FrequenciesInKilohertzBecomeMegahertz) {
  FakeSet::Event frequency = Values("rapl:::EFF_FREQUENCY:PACKAGE1:CPU3", 1, 1);
  frequency.values0[APAPI_AVG] = 2'400'000;
  frequency.last0 = 2'100'000;
  FakeSet set({frequency});
  const auto cpu = Filled<MS_MEASUREMENT_CPU>(CpuRules(), set);
  EXPECT_DOUBLE_EQ(cpu.msr_freq_core_eff_avg[1][3], 2400);
  EXPECT_DOUBLE_EQ(cpu.msr_freq_core_eff_cur[1][3], 2100);
}

TEST(FieldRules, OnlyCurrentFieldsAreFilledAtASample) {
  FakeSet::Event power = Values("nvml:::NVIDIA_H200:device_0:power", 1e3, 1e12);
  power.last0 = 75'500;
  power.values0[APAPI_AVG] = 70'000;
  power.values1[APAPI_ACC] = 140e12L;
  FakeSet set({power});
  const auto sample = Filled<MS_MEASUREMENT_GPU>(GpuRules(), set, true);
  EXPECT_EQ(sample.nvml_power_cur, 75'500U);
  EXPECT_EQ(sample.nvml_power_avg, 0);
  const auto end = Filled<MS_MEASUREMENT_GPU>(GpuRules(), set);
  EXPECT_EQ(end.nvml_power_cur, 75'500U);
  EXPECT_DOUBLE_EQ(end.nvml_power_avg, 70'000);
  EXPECT_DOUBLE_EQ(end.nvml_energy_acc, 140'000);
}

TEST(FieldRules, TheFirstGpuIsThatWithTheSmallestNumber) {
  FakeSet::Event second = Values("nvml:::NVIDIA_A100:device_1:temperature", 1, 1);
  second.values0[APAPI_MAX] = 90;
  FakeSet::Event first = Values("nvml:::Tesla_T4:device_0:temperature", 1, 1);
  first.values0[APAPI_MAX] = 45;
  FakeSet set({second, first});
  EXPECT_EQ(Filled<MS_MEASUREMENT_GPU>(GpuRules(), set).nvml_temperature_max, 45U);
}

TEST(FirstGpu, IsTheDriversFirstOfThoseInTheSet) {
  const std::vector<std::string> cards = {
      "nvml:::T4:", "nvml:::A100:", "nvml:::A100:device_2:", "nvml:::K20c:"};
  EXPECT_EQ(DeviceNumber("nvml:::A100:", cards), 1U);
  EXPECT_EQ(DeviceNumber("nvml:::A100:device_1:", cards), 1U);
  EXPECT_EQ(DeviceNumber("nvml:::K20c:", cards), 3U);
  const auto event = [](const char* name) { return Values(name, 1, 1); };
  FakeSet all({event("nvml:::K20c:power"), event("nvml:::A100:power"), event("nvml:::T4:power")});
  EXPECT_EQ(FirstGpuPrefix(all.get(), cards), "nvml:::T4:");
  FakeSet some({event("nvml:::K20c:power"), event("nvml:::A100:device_2:power")});
  EXPECT_EQ(FirstGpuPrefix(some.get(), cards), "nvml:::A100:device_2:");
  FakeSet unknown({event("rapl:::x:power"), event("nvml:::X:power")});
  EXPECT_EQ(FirstGpuPrefix(unknown.get(), {}), "nvml:::X:");
}

TEST(FieldRules, AGpuMayHaveAnyNameAndNoNumber) {
  FakeSet::Event memory = Values("nvml:::Tesla_K20c:total_memory", 1, 1);
  memory.values0[APAPI_MAX] = 5'000'000'000;
  FakeSet set({memory});
  EXPECT_EQ(Filled<MS_MEASUREMENT_GPU>(GpuRules(), set).nvml_memory_total, 4'882'812U);
}

TEST(FieldRules, WhatAFieldCannotHoldIsItsLimit) {
  FakeSet::Event memory = Values("nvml:::big:device_0:total_memory", 1, 1);
  memory.values0[APAPI_MAX] = 1e18L;
  FakeSet::Event cold = Values("nvml:::big:device_0:temperature", 1, 1);
  cold.values0[APAPI_MAX] = -4;
  FakeSet set({memory, cold});
  const auto gpu = Filled<MS_MEASUREMENT_GPU>(GpuRules(), set);
  EXPECT_EQ(gpu.nvml_memory_total, 0xFFFFFFFFU);
  EXPECT_EQ(gpu.nvml_temperature_max, 0U);
}

TEST(FieldRules, CardsAndServersAreFilledFromTheirFirstDevice) {
  FakeSet::Event rail = Values("maxeler:::vcc2v5_aux_POWER:DEVICE0", 1e6, 1e15);
  rail.values0[APAPI_AVG] = 1.25e6L;
  rail.values1[APAPI_ACC] = 2e15L;
  FakeSet fpga_set({rail});
  const auto fpga = Filled<MS_MEASUREMENT_FPGA>(FpgaRules(), fpga_set);
  EXPECT_DOUBLE_EQ(fpga.maxeler_power_avg[VCC25], 1250);
  EXPECT_DOUBLE_EQ(fpga.maxeler_energy_acc[VCC25], 2000);

  FakeSet::Event active = Values("micknc:::TIME_ACTIVE:DEVICE0", 1e3, 1);
  active.values0[APAPI_ACC] = 2500;
  FakeSet mic_set({active});
  EXPECT_DOUBLE_EQ(Filled<MS_MEASUREMENT_MIC>(MicRules(), mic_set).mic_util_active_avg, 2.5);

  FakeSet::Event server = Values("ipmi:::SYSTEM_POWER", 1, 1e9);
  server.values0[APAPI_AVG] = 250;
  server.values1[APAPI_ACC] = 1234.9e9L;
  FakeSet server_set({server});
  const auto measured = Filled<MS_MEASUREMENT_SYS>(ServerRules(), server_set);
  EXPECT_DOUBLE_EQ(measured.ipmi_power_server_avg, 250);
  EXPECT_EQ(measured.ipmi_energy_server_acc, 1234U);
}

// Each event of the default list has its field, each field its own event.
TEST(FieldRules, EachFieldHasOneEventAndAllEventsHaveAField) {
  // A card's counter of energy and its power of the moment replace what is computed of its power.
  const std::set<std::string> better = {"nvml:::*:energy", "nvml:::*:power_instant"};
  std::set<std::string> events;
  for (const ResourceRules& rules : AllRules()) {
    std::set<std::size_t> offsets;
    for (const FieldRule& rule : rules.fields) {
      EXPECT_NE(offsets.insert(rule.offset).second, better.contains(rule.event))
          << rule.event << " at " << rule.offset;
      EXPECT_TRUE(rule.event.starts_with(std::string(rules.component) + ":::")) << rule.event;
      events.insert(rule.event);
    }
  }
  // The default list has 91 events of two packages with four cores each; of nvml no fan is shown.
  EXPECT_EQ(events.size(), 90U);
}

}  // namespace
}  // namespace csink::ms
