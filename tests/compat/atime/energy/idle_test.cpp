#include "compat/atime/energy/idle.h"

#include <gtest/gtest.h>

namespace csink::atime {
namespace {

EnergyTotal Total(double joules, double error, double seconds) {
  EnergyTotal total;
  total.energy = {joules, joules - error, joules + error};
  total.seconds = seconds;
  total.watts = joules / seconds;
  total.names = {"a", "b"};
  return total;
}

TEST(NetOf, TakesTheIdlePowerOfTheRunsTime) {
  // 50 W +- 1 W idle; a run of 20 s.
  const NetEnergy net = NetOf(Total(1500, 3, 20), Total(500, 10, 10));
  ASSERT_TRUE(net.energy.has_value());
  EXPECT_DOUBLE_EQ(net.energy->joules, 500);
  EXPECT_DOUBLE_EQ(net.energy->low, 500 - 3 - 20);
  EXPECT_DOUBLE_EQ(net.energy->high, 500 + 3 + 20);
}

TEST(NetOf, MayBeNegative) {
  EXPECT_DOUBLE_EQ(NetOf(Total(90, 1, 10), Total(100, 1, 10)).energy->joules, -10);
}

TEST(NetOf, SaysWhyThereIsNone) {
  EnergyTotal other = Total(500, 1, 10);
  other.names = {"a"};
  EXPECT_FALSE(NetOf(Total(500, 1, 10), other).energy.has_value());
  EXPECT_EQ(NetOf(Total(500, 1, 10), other).why, "not the same events were measured idle");
  EnergyTotal part = Total(500, 1, 10);
  part.shorter = {"b"};
  EXPECT_EQ(NetOf(part, Total(500, 1, 10)).why, "b was measured for a part of the run only");
  EXPECT_EQ(NetOf(Total(500, 1, 10), part).why, "b was measured for a part of the idle time only");
}

}  // namespace
}  // namespace csink::atime
