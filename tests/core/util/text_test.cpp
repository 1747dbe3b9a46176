#include "core/util/text.h"

#include <gtest/gtest.h>

namespace csink {
namespace {

TEST(Text, FormatsNumbers) {
  Text<128> t;
  t.Number(0).Add(' ').Number(7, 3).Add(' ').Signed(-5).Add(' ').Hex(0x15bf9).Add(' ').Hex(0);
  EXPECT_EQ(t.view(), "0 007 -5 15bf9 0");
}

TEST(Text, FormatsFractionsRoundedDown) {
  Text<64> t;
  t.Fixed(1999, 1000, 2).Add(' ').Fixed(5, 1000, 3);
  EXPECT_EQ(t.view(), "1.99 0.005");
}

TEST(Text, CutsWhatDoesNotFit) {
  Text<8> t;
  t.Add("0123456789");
  EXPECT_EQ(t.view(), "0123456");
  EXPECT_EQ(t.c_str()[7], 0);
}

}  // namespace
}  // namespace csink
