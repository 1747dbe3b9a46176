#include <gtest/gtest.h>

#include "compat/atime/options.h"

namespace csink::atime {
namespace {

Options Read(const char* text) {
  Options options;
  ReadIntervals(text, options);
  return options;
}

TEST(ReadIntervals, NamesWithNanoseconds) {
  const Options options = Read("nvml:250000000:ipmi:3000000000");
  ASSERT_EQ(options.intervals.size(), 2U);
  EXPECT_EQ(options.intervals[0].component, "nvml");
  EXPECT_EQ(options.intervals[0].ns, 250'000'000U);
  EXPECT_EQ(options.intervals[1].component, "ipmi");
  EXPECT_EQ(options.intervals[1].ns, 3'000'000'000U);
  EXPECT_EQ(options.default_interval_ns, kDefaultIntervalNs);
}

TEST(ReadIntervals, UnitsMakeShorterOnesPossible) {
  EXPECT_EQ(Read("perf:1ms").intervals[0].ns, 1'000'000U);
  EXPECT_EQ(Read("perf:2500us").intervals[0].ns, 2'500'000U);
  EXPECT_EQ(Read("perf:3s").intervals[0].ns, 3'000'000'000U);
}

TEST(ReadIntervals, OneTimeWithAUnitIsForAll) {
  EXPECT_EQ(Read("20ms").default_interval_ns, 20'000'000U);
  EXPECT_TRUE(Read("20ms").intervals.empty());
}

TEST(ReadIntervals, WhatIsWrongHasTheDefault) {
  for (const char* text : {"rapl:9999999", "rapl:999us", "rapl:x", "rapl:-5", "rapl:1 s",
                           "rapl:3601s", "rapl:18446744073709551616", "rapl", "rapl:", "rapl:0"}) {
    const Options options = Read(text);
    ASSERT_EQ(options.intervals.size(), 1U) << text;
    EXPECT_EQ(options.intervals[0].ns, kDefaultIntervalNs) << text;
  }
}

TEST(ReadIntervals, OneWrongDoesNotTouchTheOthers) {
  const Options options = Read("rapl:x:nvml:20000000");
  ASSERT_EQ(options.intervals.size(), 2U);
  EXPECT_EQ(options.intervals[1].ns, 20'000'000U);
}

TEST(ReadIntervals, ANumberAloneLacksItsUnitAndNamesNothing) {
  for (const auto& [text, wanted] : {std::pair("50", "'50' has no unit: 50ms; 100 ms is used"),
                                     std::pair("50000000", "has no unit: 50000000ns")}) {
    testing::internal::CaptureStderr();
    const Options options = Read(text);
    EXPECT_NE(testing::internal::GetCapturedStderr().find(wanted), std::string::npos) << text;
    EXPECT_TRUE(options.intervals.empty());
    EXPECT_EQ(options.default_interval_ns, kDefaultIntervalNs);
  }
}

TEST(ReadIntervals, AnEmptyTextIsOneWithoutAName) {
  EXPECT_EQ(Read("").default_interval_ns, kDefaultIntervalNs);
}

}  // namespace
}  // namespace csink::atime
