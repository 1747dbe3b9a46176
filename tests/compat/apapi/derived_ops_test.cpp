// Operations of events that no file describes.
#include "compat/apapi/derived_ops.h"

#include <gtest/gtest.h>

namespace csink::apapi {
namespace {

constexpr int kMinMaxMean = APAPI_STAT_MIN | APAPI_STAT_MAX | APAPI_STAT_AVG;

TEST(DerivedOps, JoulesThatAccumulateAreEnergyAndPower) {
  struct Row {
    const char* units;
    double prefix0, prefix1;
  };
  // The factors of the default file for the same units.
  for (const Row& row : {Row{"nJ", 1e9, 1}, Row{"uJ", 1e6, 1e-3}, Row{"J", 1, 1e-9}}) {
    const apapi_event_ops ops = DeriveOps({"ipmi", row.units, true});
    EXPECT_EQ(ops.op1, APAPI_OP1_DIV_DIFF_TIME) << row.units;
    EXPECT_EQ(ops.value0, APAPI_STAT_ACC);
    EXPECT_EQ(ops.value1, kMinMaxMean);
    EXPECT_EQ(ops.max_sample, 0x7fffffffffffffff);
    EXPECT_STREQ(ops.value0_unit, "Ws");
    EXPECT_STREQ(ops.value1_unit, "W");
    EXPECT_DOUBLE_EQ(ops.value0_prefix, row.prefix0);
    EXPECT_DOUBLE_EQ(ops.value1_prefix, row.prefix1);
  }
}

TEST(DerivedOps, AMeasuredPowerHasItsEnergyAndALimitHasNone) {
  const apapi_event_ops sensor = DeriveOps({"ipmi", "W", false});
  EXPECT_EQ(sensor.op1, APAPI_OP1_SAMPLE1_MUL_DIFF_TIME);
  EXPECT_EQ(sensor.value0, kMinMaxMean);
  EXPECT_EQ(sensor.value1, APAPI_STAT_ACC);
  EXPECT_DOUBLE_EQ(sensor.value1_prefix, 1e9);
  for (const char* component : {"rapl", "powercap"}) {  // THERMAL_SPEC, POWER_LIMIT_A_UW
    const apapi_event_ops limit = DeriveOps({component, "uW", false});
    EXPECT_EQ(limit.op1, APAPI_OP1_NOP);
    EXPECT_EQ(limit.value1, APAPI_STAT_NO);
    EXPECT_DOUBLE_EQ(limit.value0_prefix, 1e6);
  }
}

TEST(DerivedOps, OtherMomentaryValuesAreShownInTheirUnit) {
  const apapi_event_ops window = DeriveOps({"powercap", "us", false});
  EXPECT_EQ(window.op1, APAPI_OP1_NOP);
  EXPECT_STREQ(window.value0_unit, "s");
  EXPECT_DOUBLE_EQ(window.value0_prefix, 1e6);
  const apapi_event_ops range = DeriveOps({"powercap", "uJ", false});  // MAX_ENERGY_RANGE_UJ
  EXPECT_EQ(range.max_sample, 0);
  EXPECT_STREQ(range.value0_unit, "Ws");
  const apapi_event_ops fan = DeriveOps({"ipmi", "rpm", false});
  EXPECT_STREQ(fan.value0_type, "speed");
  const apapi_event_ops unknown = DeriveOps({"ipmi", "furlong", false});
  EXPECT_STREQ(unknown.value0_unit, "#");
}

TEST(DerivedOps, CountsHaveARateASecond) {
  const apapi_event_ops counts = DeriveOps({"rapl", "", true});  // PACKAGE_ENERGY_CNT
  EXPECT_EQ(counts.op1, APAPI_OP1_DIV_DIFF_TIME);
  EXPECT_STREQ(counts.value1_unit, "1/s");
  EXPECT_DOUBLE_EQ(counts.value1_prefix, 1e-9);
}

TEST(DerivedOps, EventsOfThePerfComponentsAreNotGuessed) {
  EXPECT_FALSE(FactsOf(PAPI_NATIVE_MASK, "perf_event", ""));
  EXPECT_FALSE(FactsOf(PAPI_NATIVE_MASK, "perf_event_uncore", "Joules"));
}

}  // namespace
}  // namespace csink::apapi
