#include "symbolizer/report/wording/numbers.h"

#include <gtest/gtest.h>

namespace csink::report {
namespace {

TEST(Numbers, HaveGroupsPrefixesAndPercent) {
  EXPECT_EQ(Grouped(0), "0");
  EXPECT_EQ(Grouped(1234567), "1,234,567");
  EXPECT_EQ(Grouped(~0ull), "18,446,744,073,709,551,615");
  EXPECT_EQ(Short(999), "999");
  EXPECT_EQ(Short(999'999), "1.00M");
  EXPECT_EQ(Short(1.5e9), "1.50G");
  EXPECT_EQ(Percent(1), "100.0%");
}

TEST(Duration, KeepsThreeDigitsInEveryUnit) {
  EXPECT_EQ(Duration(0), "0 s");
  EXPECT_EQ(Duration(1000003e-9), "1 ms");
  EXPECT_EQ(Duration(0.0123), "12.3 ms");
  EXPECT_EQ(Duration(0.99999), "1 s");
  EXPECT_EQ(Duration(119.4), "119 s");
  EXPECT_EQ(Duration(120), "2 min");
  EXPECT_EQ(Duration(139.8), "2.33 min");
  EXPECT_EQ(Duration(191.4), "3.19 min");
  EXPECT_EQ(Duration(7199), "120 min");
  EXPECT_EQ(Duration(9000), "2.5 h");
  EXPECT_EQ(Duration(3 * 86400.0), "3 days");
  EXPECT_EQ(Duration(123456789), "1429 days");
}

TEST(ShareText, KeepsTwoDigitsOfSmallShares) {
  EXPECT_EQ(ShareText(0.612), "61.2%");
  EXPECT_EQ(ShareText(0.001), "0.1%");
  EXPECT_EQ(ShareText(0.000996), "0.10%");
  EXPECT_EQ(ShareText(0.00034), "0.034%");
  EXPECT_EQ(ShareText(0.00041), "0.041%");
  EXPECT_EQ(ShareText(0.0000123), "0.0012%");
  EXPECT_EQ(ShareText(1e-6), "0.00010%");
  EXPECT_EQ(ShareText(1e-9), "<0.0001%");
  EXPECT_EQ(ShareText(0), "0.0%");
}

}  // namespace
}  // namespace csink::report
