#include "compat/atime/energy/numbers.h"

#include <gtest/gtest.h>
#include <papi.h>

#include <bit>

namespace csink::atime {
namespace {

/// A set with one event.
struct OneEvent {
  explicit OneEvent(int data_type, long long bits) : counter(bits), sample(bits) {
    ops.data_type = data_type;
    ops.value0_prefix = 10;
    ops.value1_prefix = 2;
    ops.op1 = APAPI_OP1_SAMPLE_DIFF;
    set.event_ops = &ops;
    set.current_counters = &counter;
    set.current_samples = &sample;
    set.last_values1 = &last1;
  }
  apapi_event_ops ops = {};
  long long counter, sample;
  long double last1 = 7;
  apapi_eventset set = {};
};

TEST(Values, AreShownInTheTypeOfTheEvent) {
  EXPECT_EQ(RawValue(OneEvent(PAPI_DATATYPE_INT64, -3).set, 0), "-3");
  EXPECT_EQ(RawValue(OneEvent(PAPI_DATATYPE_UINT64, -1).set, 0), "18446744073709551615");
  EXPECT_EQ(RawValue(OneEvent(PAPI_DATATYPE_FP64, std::bit_cast<long long>(0.125)).set, 0),
            "0.125");
  EXPECT_EQ(LastValue0(OneEvent(PAPI_DATATYPE_FP64, std::bit_cast<long long>(42.5)).set, 0, 1),
            "4.25");
}

TEST(Values, DifferencesBeginWithTheSecondSample) {
  OneEvent event(PAPI_DATATYPE_INT64, 50);
  EXPECT_EQ(LastValue0(event.set, 0, 1), "5");
  EXPECT_EQ(LastValue1(event.set, 0, 1), "");
  event.ops.max_sample = 1000;
  EXPECT_EQ(LastValue0(event.set, 0, 1), "");
  EXPECT_EQ(LastValue0(event.set, 0, 2), "5");
  EXPECT_EQ(LastValue1(event.set, 0, 2), "3.5");
  event.ops.op1 = APAPI_OP1_NOP;
  EXPECT_EQ(LastValue1(event.set, 0, 2), "");
}

TEST(Seconds, KeepAllNanoseconds) {
  EXPECT_EQ(Seconds(0), "0.000000000");
  EXPECT_EQ(Seconds(12'000'000'345), "12.000000345");
  EXPECT_EQ(Seconds(-5), "-0.000000005");
}

TEST(CsvField, IsQuotedWhereItMustBe) {
  EXPECT_EQ(CsvField("rapl:::PACKAGE_ENERGY:PACKAGE0"), "rapl:::PACKAGE_ENERGY:PACKAGE0");
  EXPECT_EQ(CsvField("a,b"), "\"a,b\"");
  EXPECT_EQ(CsvField("a\"b"), "\"a\"\"b\"");
}

}  // namespace
}  // namespace csink::atime
