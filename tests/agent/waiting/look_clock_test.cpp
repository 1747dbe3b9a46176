#include "agent/waiting/look_clock.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

namespace csink::agent {
namespace {

TEST(LookClock, TheTimesAreExponential) {
  LookClock clock;
  clock.Start(7);
  constexpr int kTimes = 200'000;
  double sum = 0;
  double squares = 0;
  int above_mean = 0;
  int above_three = 0;
  for (int i = 0; i < kTimes; ++i) {
    const double x = static_cast<double>(clock.NextNs()) / 10e6;
    sum += x;
    squares += x * x;
    above_mean += x > 1;
    above_three += x > 3;
  }
  // Mean 1, second moment 2, tail e^-x; the standard errors are 0.0022, 0.01 and below 0.0011.
  EXPECT_NEAR(sum / kTimes, 1, 0.012);
  EXPECT_NEAR(squares / kTimes, 2, 0.06);
  EXPECT_NEAR(above_mean / double{kTimes}, std::exp(-1), 0.006);
  EXPECT_NEAR(above_three / double{kTimes}, std::exp(-3), 0.003);
}

TEST(LookClock, OtherSeedsGiveOtherTimes) {
  LookClock one;
  LookClock two;
  one.Start(1);
  two.Start(2);
  int equal = 0;
  for (int i = 0; i < 100; ++i) equal += one.NextNs() == two.NextNs();
  EXPECT_LT(equal, 3);
}

TEST(LookClock, TheMeanFollowsTheCost) {
  LookClock clock;
  clock.Start(3);
  EXPECT_EQ(clock.mean_ns(), LookClock::kShortestMeanNs);
  clock.NoteCost(10'000, 4);  // 10 us at 0.25 % of a processor: 4 ms, below the shortest
  EXPECT_EQ(clock.mean_ns(), LookClock::kShortestMeanNs);
  for (int i = 0; i < 100; ++i) clock.NoteCost(100'000, 4);
  EXPECT_NEAR(static_cast<double>(clock.mean_ns()), 40e6, 1e6);
  for (int i = 0; i < 100; ++i) clock.NoteCost(1'000'000, 1000);  // at 0.8 %
  EXPECT_NEAR(static_cast<double>(clock.mean_ns()), 125e6, 3e6);
  for (int i = 0; i < 100; ++i) clock.NoteCost(~std::uint64_t{0}, 1000);
  EXPECT_EQ(clock.mean_ns(), LookClock::kLongestMeanNs);
}

TEST(LookClock, WhatIsDoneOnceDoesNotSlowDownAllMoments) {
  LookClock clock;
  clock.Start(3);
  clock.NoteCost(15'000'000, 4);  // the spool is made
  EXPECT_LE(clock.mean_ns(), 2 * LookClock::kShortestMeanNs);
  for (int i = 0; i < 30; ++i) clock.NoteCost(30'000, 4);
  clock.NoteCost(4'000'000, 4);
  EXPECT_LE(clock.mean_ns(), 2 * LookClock::kShortestMeanNs);
}

/// The average cost of moments that cost 4 ms each, after a first one of 150 ms, in `seconds`.
double CostOfAThousand(double seconds) {
  LookClock clock;
  clock.Start(5);
  double time = static_cast<double>(clock.NextNs());
  double spent = 150e6;
  clock.NoteCost(150'000'000, 1000);
  while (time < seconds * 1e9) {
    time += static_cast<double>(clock.NextNs());
    spent += 4e6;
    clock.NoteCost(4'000'000, 1000);
  }
  return spent / time;
}

TEST(LookClock, AnExpensiveFirstMomentIsSavedAgain) {
  EXPECT_LT(CostOfAThousand(30), 0.010);
  // Later the moments are as frequent as they may be.
  EXPECT_NEAR(CostOfAThousand(600), 0.008, 0.001);
}

TEST(LookClock, MoreThreadsMayCostMoreUpToALimit) {
  EXPECT_EQ(LookClock::AllowedPpm(1), 2500u);
  EXPECT_EQ(LookClock::AllowedPpm(8), 2500u);
  EXPECT_EQ(LookClock::AllowedPpm(16), 5000u);
  EXPECT_EQ(LookClock::AllowedPpm(1000), 8000u);
}

}  // namespace
}  // namespace csink::agent
