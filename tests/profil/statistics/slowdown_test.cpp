#include "profil/statistics/slowdown.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace csink {
namespace {

constexpr int kTrials = 1000;

/// The part of comparisons of `runs` runs a side that prove more than 5 %, where b takes `factor`
/// times as long and runs differ by `scatter`.
double Proven(std::size_t runs, double factor, double scatter) {
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  int proven = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<double> a;
    std::vector<double> b;
    for (std::size_t i = 0; i < runs; ++i) {
      a.push_back(std::exp(scatter * normal(random)));
      b.push_back(factor * std::exp(scatter * normal(random)));
    }
    proven += SlowdownOf(a, b)->low > 1.05;
  }
  return static_cast<double>(proven) / kTrials;
}

TEST(Slowdown, OfOneRunEachNeedsMoreThanTheAssumedScatter) {
  const auto slowdown = SlowdownOf(std::vector{1.0}, std::vector{1.3});
  ASSERT_TRUE(slowdown);
  EXPECT_NEAR(slowdown->ratio, 1.3, 1e-12);
  // 1.3 / exp(2.3534 * 0.06 * sqrt(2))
  EXPECT_NEAR(slowdown->low, 1.0646, 1e-4);
  EXPECT_NEAR(ProvenFrom(1.05, 1), 1.282, 1e-3);
  EXPECT_NEAR(ProvenFrom(1.05, 5), 1.124, 1e-3);
}

TEST(Slowdown, OfSeveralRunsIsTheModeratedTTest) {
  const std::vector<double> a = {1.0, 1.02, 0.98};
  const std::vector<double> b = {1.1, 1.12, 1.14};
  double squares = 0;
  for (const auto& group : {a, b}) {
    double mean = 0;
    for (const double x : group) mean += std::log(x) / 3;
    for (const double x : group) squares += (std::log(x) - mean) * (std::log(x) - mean);
  }
  // 7 degrees of freedom: one-sided 95 % at 1.894579.
  const double error = std::sqrt((squares + 3 * 0.0036) / 7 * 2 / 3);
  const auto slowdown = SlowdownOf(a, b);
  ASSERT_TRUE(slowdown);
  EXPECT_NEAR(slowdown->low, slowdown->ratio * std::exp(-1.894579 * error), 1e-6);
}

TEST(Slowdown, OfEqualProgramsIsRarelyProven) {
  for (const double scatter : {0.02, 0.047, 0.075}) {
    EXPECT_LE(Proven(1, 1, scatter), 0.02) << scatter;
    EXPECT_LE(Proven(3, 1, scatter), 0.02) << scatter;
    EXPECT_LE(Proven(5, 1, scatter), 0.01) << scatter;
  }
}

TEST(Slowdown, AsLargeAsTheLimitIsRarelyProven) {
  for (const std::size_t runs : {1, 3, 5, 10}) {
    EXPECT_LE(Proven(runs, 1.05, 0.06), 0.07) << runs;
  }
}

TEST(Slowdown, IsProvenWhereItIsLarge) {
  EXPECT_GE(Proven(1, 1.5, 0.06), 0.9);
  EXPECT_GE(Proven(5, 1.3, 0.06), 0.99);
  EXPECT_GE(Proven(10, 1.2, 0.06), 0.97);
}

TEST(Slowdown, NeedsTimes) {
  EXPECT_FALSE(SlowdownOf(std::vector<double>(), std::vector{1.0}));
  EXPECT_FALSE(SlowdownOf(std::vector{0.0}, std::vector{1.0}));
  EXPECT_FALSE(SlowdownOf(std::vector{1.0}, std::vector{std::nan("")}));
}

}  // namespace
}  // namespace csink
