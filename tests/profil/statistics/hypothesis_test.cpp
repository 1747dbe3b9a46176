#include "profil/statistics/hypothesis.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace csink {
namespace {

TEST(StudentPValue, MatchesTheTables) {
  // Two-sided 5 % and 1 % points of Student's t, as every table has them.
  EXPECT_NEAR(StudentPValue(12.706, 1), 0.05, 1e-5);
  EXPECT_NEAR(StudentPValue(4.303, 2), 0.05, 1e-5);
  EXPECT_NEAR(StudentPValue(-2.776, 4), 0.05, 1e-4);
  EXPECT_NEAR(StudentPValue(2.228, 10), 0.05, 1e-4);
  EXPECT_NEAR(StudentPValue(3.169, 10), 0.01, 1e-4);
  EXPECT_NEAR(StudentPValue(1.959964, 1e7), 0.05, 1e-5);
  EXPECT_DOUBLE_EQ(StudentPValue(0, 3), 1);
}

TEST(StudentQuantile, MatchesTheTables) {
  EXPECT_NEAR(StudentQuantile(0.05, 1), 12.706, 1e-3);
  EXPECT_NEAR(StudentQuantile(0.05, 4), 2.776, 1e-3);
  EXPECT_NEAR(StudentQuantile(0.05, 29), 2.045, 1e-3);
  EXPECT_NEAR(StudentQuantile(0.05, 1e7), 1.959964, 1e-5);
  EXPECT_TRUE(std::isinf(StudentQuantile(0.05, 0)));
  EXPECT_TRUE(std::isinf(StudentQuantile(0.05, std::nan(""))));
}

TEST(MeanHalfWidth, IsTheQuantileTimesTheStandardError) {
  // Mean 3, variance 2.5, n = 5: 2.7764 * sqrt(0.5).
  const double values[] = {1, 2, 3, 4, 5};
  EXPECT_NEAR(MeanHalfWidth(values), 1.96324, 1e-4);
  const double equal[] = {7, 7, 7};
  EXPECT_EQ(MeanHalfWidth(equal), 0);
  EXPECT_TRUE(std::isinf(MeanHalfWidth(std::span(values, 1))));
  EXPECT_TRUE(std::isinf(MeanHalfWidth({})));
}

TEST(StudentPValue, SurvivesWhatIsNoNumber) {
  EXPECT_EQ(StudentPValue(std::nan(""), 3), 1);
  EXPECT_EQ(StudentPValue(3, 0), 1);
  EXPECT_EQ(StudentPValue(std::numeric_limits<double>::infinity(), 3), 0);
}

TEST(WelchPValue, IsStudentsTestWhereTheVariancesAreEqual) {
  // Means 2 and 5, variances 1, three each: t = -3 / sqrt(2/3), 4 degrees of freedom.
  const std::vector<double> a = {1, 2, 3};
  const std::vector<double> b = {4, 5, 6};
  EXPECT_NEAR(WelchPValue(a, b), StudentPValue(3 / std::sqrt(2.0 / 3), 4), 1e-12);
  EXPECT_NEAR(WelchHalfWidth(a, b), 2.7764 * std::sqrt(2.0 / 3), 1e-3);
}

TEST(PooledPValue, IsWelchsWhereRunsAreAsManyAndVarianceIsTheSame) {
  const std::vector<double> a = {1, 2, 3};
  const std::vector<double> b = {4, 5, 6};
  EXPECT_NEAR(PooledPValue(a, b), WelchPValue(a, b), 1e-12);
  EXPECT_EQ(PooledPValue(std::vector<double>{1}, std::vector<double>{9}), 1);
  EXPECT_EQ(PooledPValue(std::vector<double>{3, 3}, std::vector<double>{4, 4}), 0);
}

TEST(PooledPValue, IsNotTakenInByFewRunsThatAgree) {
  const std::vector<double> few = {10, 10.01, 9.99};
  const std::vector<double> many = {8, 12, 7, 9, 11, 8, 10, 9, 8, 7};
  EXPECT_LT(WelchPValue(few, many), 0.1);
  EXPECT_GT(PooledPValue(few, many), 0.2);
}

TEST(WelchPValue, KnowsNothingOfOneRunEach) {
  EXPECT_EQ(WelchPValue(std::vector<double>{1}, std::vector<double>{9}), 1);
  EXPECT_TRUE(std::isinf(WelchHalfWidth(std::vector<double>{1}, std::vector<double>{9})));
  EXPECT_EQ(WelchPValue({}, std::vector<double>{9, 8}), 1);
  EXPECT_EQ(WelchPValue(std::vector<double>{3, 3}, std::vector<double>{3, 3}), 1);
  EXPECT_EQ(WelchPValue(std::vector<double>{3, 3}, std::vector<double>{4, 4}), 0);
  EXPECT_LT(WelchPValue(std::vector<double>{9}, std::vector<double>{1, 1.1, 0.9, 1}), 0.001);
}

TEST(WelchPValue, IsBelowFivePercentInAboutFivePercentOfEqualGroups) {
  std::mt19937_64 random(5);
  std::normal_distribution<double> narrow(10, 1);
  std::normal_distribution<double> wide(10, 4);
  int low = 0;
  for (int trial = 0; trial < 10'000; ++trial) {
    std::vector<double> a;
    std::vector<double> b;
    for (int i = 0; i < 5; ++i) {
      a.push_back(narrow(random));
      b.push_back(wide(random));
    }
    low += WelchPValue(a, b) < 0.05;
  }
  EXPECT_NEAR(low / 10'000.0, 0.05, 0.01);
}

TEST(HolmAdjusted, IsHolmsProcedure) {
  // 0.01, 0.03, 0.04, 0.005: times 4, 3, 2, 1 in rising order, never falling.
  const auto adjusted = HolmAdjusted({0.01, 0.04, 0.03, 0.005});
  EXPECT_DOUBLE_EQ(adjusted[3], 0.02);
  EXPECT_DOUBLE_EQ(adjusted[0], 0.03);
  EXPECT_DOUBLE_EQ(adjusted[2], 0.06);
  EXPECT_DOUBLE_EQ(adjusted[1], 0.06);
}

TEST(HolmAdjusted, DoesNotCountTestsThatWereNotMade) {
  const auto adjusted = HolmAdjusted({0.02, 2, 2, 0.5});
  EXPECT_DOUBLE_EQ(adjusted[0], 0.04);
  EXPECT_DOUBLE_EQ(adjusted[1], 2);
  EXPECT_DOUBLE_EQ(adjusted[3], 0.5);
  EXPECT_TRUE(HolmAdjusted({}).empty());
}

}  // namespace
}  // namespace csink
