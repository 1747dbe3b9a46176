#include "profil/statistics/signed_rank.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace csink {
namespace {

TEST(SignedRankCritical, MatchesTheTables) {
  // Two-sided 5 % and 1 %, as every table of the test has them.
  EXPECT_EQ(SignedRankCritical(6, 0.05), 0U);
  EXPECT_EQ(SignedRankCritical(10, 0.05), 8U);
  EXPECT_EQ(SignedRankCritical(20, 0.05), 52U);
  EXPECT_EQ(SignedRankCritical(20, 0.01), 37U);
  EXPECT_EQ(SignedRankCritical(25, 0.05), 89U);
}

TEST(SignedRankCritical, NeedsEnoughDifferences) {
  EXPECT_FALSE(SignedRankCritical(5, 0.05));
  EXPECT_FALSE(SignedRankCritical(0, 0.05));
  EXPECT_TRUE(SignedRankCritical(500, 0.05));
}

TEST(SignedRankCentre, IsTheMedianOfTheMeansOfPairs) {
  // Means of pairs: 1 2 3 3 4 4.5 5 5.5 6.5 8.
  const std::vector<double> values = {1, 3, 5, 8};
  EXPECT_DOUBLE_EQ(SignedRankCentre(values, 0.05).estimate, 4.25);
  EXPECT_TRUE(std::isinf(SignedRankCentre(values, 0.05).interval.high));
  EXPECT_EQ(SignedRankCentre({}, 0.05).estimate, 0);
}

TEST(SignedRankCentre, HasTheLeastAndTheLargestMeanAsBoundsOfSixValues) {
  const std::vector<double> values = {3, 1, 2, 6, 5, 4};
  const Centre centre = SignedRankCentre(values, 0.05);
  EXPECT_DOUBLE_EQ(centre.interval.low, 1);
  EXPECT_DOUBLE_EQ(centre.interval.high, 6);
}

TEST(SignedRankCentre, IsHardlyMovedByAnOutlier) {
  std::vector<double> values(20);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 0.01 * static_cast<double>(i);
  const double before = SignedRankCentre(values, 0.05).estimate;
  values.back() = 1000;
  EXPECT_NEAR(SignedRankCentre(values, 0.05).estimate, before, 0.01);
}

TEST(SignedRankCentre, CoversTheTruthInNinetyFivePercentForHeavyTails) {
  std::mt19937_64 random(11);
  std::student_t_distribution<double> heavy(2);
  int covered = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    std::vector<double> values(15);
    for (double& value : values) value = 7 + heavy(random);
    const Interval interval = SignedRankCentre(values, 0.05).interval;
    covered += interval.low <= 7 && 7 <= interval.high;
  }
  // 95 % at least; the standard deviation of 2,000 trials is 0.5 %.
  EXPECT_GT(covered / 2000.0, 0.93);
  EXPECT_LT(covered / 2000.0, 0.98);
}

}  // namespace
}  // namespace csink
