#include "profil/statistics/statistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace csink {
namespace {

TEST(WilsonInterval, MatchesAPublishedValue) {
  // Newcombe 1998, table I: 81 of 263, Wilson 95 %: 0.2553 to 0.3662; 0 of 20: 0 to 0.1611.
  const Interval a = WilsonInterval(81.0 / 263, 263);
  EXPECT_NEAR(a.low, 0.2553, 5e-5);
  EXPECT_NEAR(a.high, 0.3662, 5e-5);
  const Interval b = WilsonInterval(0, 20);
  EXPECT_NEAR(b.low, 0, 1e-12);
  EXPECT_NEAR(b.high, 0.1611, 5e-5);
}

TEST(WilsonInterval, SaysNothingWithoutSamples) {
  const Interval none = WilsonInterval(0.5, 0);
  EXPECT_EQ(none.low, 0);
  EXPECT_EQ(none.high, 1);
}

TEST(WilsonInterval, StaysInsideTheUnitInterval) {
  for (const double share : {-1.0, 0.0, 1e-9, 0.5, 1.0, 7.0}) {
    for (const double n : {0.5, 1.0, 3.0, 1e12}) {
      const Interval i = WilsonInterval(share, n, kZ9999);
      EXPECT_GE(i.low, 0);
      EXPECT_LE(i.low, i.high);
      EXPECT_LE(i.high, 1);
    }
  }
}

/// The part of 4,000 simulated profiles whose interval holds the true share.
double Coverage(double share, int samples, double z) {
  std::mt19937_64 random(20240607);
  std::binomial_distribution<int> hits(samples, share);
  int covered = 0;
  for (int run = 0; run < 4000; ++run) {
    const Interval i = WilsonInterval(hits(random) / static_cast<double>(samples), samples, z);
    covered += i.low <= share && share <= i.high;
  }
  return covered / 4000.0;
}

TEST(WilsonInterval, CoversTheTruthInAbout95PercentOfRuns) {
  for (const double share : {0.02, 0.1, 0.3, 0.6, 0.98}) {
    for (const int samples : {50, 200, 3000}) {
      EXPECT_NEAR(Coverage(share, samples, kZ95), 0.95, 0.03) << share << " of " << samples;
    }
  }
}

TEST(WilsonInterval, AtTheWiderLevelMissesAlmostNever) {
  EXPECT_GE(Coverage(0.3, 500, kZ9999), 0.998);
}

TEST(EffectiveSamples, EqualsTheNumberForEqualWeights) {
  EXPECT_DOUBLE_EQ(EffectiveSamples(100.0 * 7, 100.0 * 49, 100), 100);
}

TEST(EffectiveSamples, OneHeavySampleCountsAsLittleMoreThanOne) {
  // 1 of weight 1000 and 10 of weight 1.
  EXPECT_NEAR(EffectiveSamples(1010, 1e6 + 10, 11), 1.02, 0.01);
}

TEST(EffectiveSamples, IsNeverMoreThanWhatWasCounted) {
  EXPECT_EQ(EffectiveSamples(1000, 1, 10), 10);
  EXPECT_EQ(EffectiveSamples(1000, 0, 10), 10);
  EXPECT_EQ(EffectiveSamples(0, 5, 10), 0);
}

TEST(EffectiveSamples, MakesTheIntervalCoverWithUnequalWeights) {
  // Half of all samples weigh 1, half 5; weight does not depend on the place.
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> uniform(0, 1);
  constexpr double kShare = 0.3;
  int covered = 0;
  int covered_naively = 0;
  for (int run = 0; run < 3000; ++run) {
    double sum = 0, squares = 0, inside = 0;
    for (int i = 0; i < 400; ++i) {
      const double w = uniform(random) < 0.5 ? 1 : 5;
      sum += w;
      squares += w * w;
      if (uniform(random) < kShare) inside += w;
    }
    const Interval i = WilsonInterval(inside / sum, EffectiveSamples(sum, squares, 400));
    const Interval naive = WilsonInterval(inside / sum, 400);
    covered += i.low <= kShare && kShare <= i.high;
    covered_naively += naive.low <= kShare && kShare <= naive.high;
  }
  EXPECT_NEAR(covered / 3000.0, 0.95, 0.02);
  EXPECT_LT(covered_naively / 3000.0, 0.92);  // what the effective number is for
}

// Newcombe's paper, table II: 56/70 and 48/80, method 10: 0.0524 to 0.3339; 9/10 and 3/10:
// 0.1705 to 0.8090; 10/10 and 0/10: 0.6075 to 1.
TEST(DifferenceInterval, IsNewcombesTenthMethod) {
  const Interval large = DifferenceInterval(56.0 / 70, 70, 48.0 / 80, 80);
  EXPECT_NEAR(large.low, 0.0524, 5e-5);
  EXPECT_NEAR(large.high, 0.3339, 5e-5);
  const Interval small = DifferenceInterval(0.9, 10, 0.3, 10);
  EXPECT_NEAR(small.low, 0.1705, 5e-5);
  EXPECT_NEAR(small.high, 0.8090, 5e-5);
  const Interval whole = DifferenceInterval(1, 10, 0, 10);
  EXPECT_NEAR(whole.low, 0.6075, 5e-5);
  EXPECT_NEAR(whole.high, 1, 1e-9);
}

TEST(DifferenceInterval, KnowsNothingWithoutSamples) {
  EXPECT_EQ(DifferenceInterval(0.5, 0, 0.5, 100).low, -1);
  EXPECT_EQ(DifferenceInterval(0.5, 100, 0.5, 0).high, 1);
}

TEST(TwoProportionPValue, FollowsTheNormalDistribution) {
  // Pooled share 0.5, standard error 0.05: a difference of 0.098 is 1.96 of them.
  EXPECT_NEAR(TwoProportionPValue(0.549, 200, 0.451, 200), 0.05, 5e-4);
  EXPECT_NEAR(TwoProportionPValue(0.3, 1000, 0.3, 500), 1, 1e-12);
  EXPECT_EQ(TwoProportionPValue(0, 100, 0, 100), 1);
  EXPECT_EQ(TwoProportionPValue(0.5, 0, 0.1, 100), 1);
  EXPECT_LT(TwoProportionPValue(0.6, 3000, 0.5, 3000), 1e-12);
}

TEST(EquivalentCount, IsThatOfThePoissonProcessWithTheSameRelativeError) {
  EXPECT_DOUBLE_EQ(EquivalentCount(0.5, 100), 100);  // 50 of 100: variance 25, 50^2 / 25
  EXPECT_NEAR(EquivalentCount(0.001, 10'000), 10.01, 0.001);
  EXPECT_DOUBLE_EQ(EquivalentCount(1, 100), 10'000);  // everything: one sample's rounding is left
  EXPECT_EQ(EquivalentCount(0, 100), 0);
  EXPECT_EQ(EquivalentCount(0.5, 0), 0);
}

/// The part of simulated rows whose interval holds the true ratio: both events are sampled
/// independently, `above` and `below` are the row's shares of them.
double RatioCoverage(double above, int above_samples, double below, int below_samples) {
  std::mt19937_64 random(17);
  std::binomial_distribution<int> hits(above_samples, above);
  std::binomial_distribution<int> base(below_samples, below);
  int covered = 0;
  int rows = 0;
  while (rows < 4000) {
    const int k = hits(random);
    const int m = base(random);
    if (m == 0) continue;
    ++rows;
    const double p = static_cast<double>(k) / above_samples;
    const double q = static_cast<double>(m) / below_samples;
    const Interval i =
        RatioInterval(EquivalentCount(p, above_samples), EquivalentCount(q, below_samples));
    const double unit = k > 0 ? p / q : 1 / (above_samples * q);
    covered += i.low * unit <= above / below && above / below <= i.high * unit;
  }
  return covered / 4000.0;
}

TEST(RatioInterval, CoversTheTruthInAbout95PercentOfRuns) {
  for (const double above : {0.01, 0.1, 0.5, 0.9}) {
    for (const double below : {0.01, 0.1, 0.5, 0.9}) {
      for (const int samples : {1000, 20'000}) {
        // 3 standard errors of the simulation are 0.01; with 10 hits counts are coarse.
        EXPECT_NEAR(RatioCoverage(above, samples, below, samples), 0.95, 0.025)
            << above << " / " << below << " of " << samples;
      }
    }
  }
  EXPECT_NEAR(RatioCoverage(0.02, 500, 0.6, 8000), 0.95, 0.025);
}

TEST(RatioInterval, KnowsWhatItDoesNotKnow) {
  EXPECT_EQ(RatioInterval(5, 0).low, 0);
  EXPECT_TRUE(std::isinf(RatioInterval(5, 0).high));
  const Interval none = RatioInterval(0, 100);  // nothing above: at most about 3.8 of it
  EXPECT_EQ(none.low, 0);
  EXPECT_NEAR(none.high, 3.84, 0.1);
}

}  // namespace
}  // namespace csink
