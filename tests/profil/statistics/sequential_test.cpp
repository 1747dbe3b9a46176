#include "profil/statistics/sequential.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "profil/statistics/signed_rank.h"

namespace csink {
namespace {

/// Times of two commands on a loaded machine, as logarithms: normal noise of 3 % that differs from
/// run to run, a load that comes and goes with 3 % more, and in one run of thirty up to a half
/// more.
class LoadedMachine {
 public:
  explicit LoadedMachine(std::uint64_t seed) : random_(seed) {}
  /// The difference of a round, the order of which is drawn.
  double Round(double effect) {
    double time[2];
    const std::size_t first = random_() & 1;
    for (const std::size_t which : {first, 1 - first}) time[which] = Noise();
    return time[0] + std::log1p(effect) - time[1];
  }

 private:
  double Noise() {
    load_ = 0.9 * load_ + 0.013 * normal_(random_);
    const double outlier = part_(random_) < 1 / 30.0 ? 0.5 * part_(random_) : 0;
    return 0.03 * normal_(random_) + load_ + outlier;
  }
  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
  std::uniform_real_distribution<double> part_;
  double load_ = 0;
};

struct Found {
  double share = 0;   ///< Of the measurements that found a difference
  double missed = 0;  ///< Of those whose interval at any look did not contain the truth
};

Found Simulate(double effect, int trials) {
  const std::vector<Look> looks = PlanLooks(40);
  LoadedMachine machine(42);
  Found found;
  for (int trial = 0; trial < trials; ++trial) {
    std::vector<double> differences;
    bool is_found = false;
    bool is_missed = false;
    for (const Look& look : looks) {
      while (differences.size() < look.rounds) differences.push_back(machine.Round(effect));
      const Interval interval = SignedRankCentre(differences, look.level).interval;
      is_found = is_found || interval.low > 0 || interval.high < 0;
      const double truth = std::log1p(effect);
      is_missed = is_missed || interval.low > truth || interval.high < truth;
    }
    found.share += is_found;
    found.missed += is_missed;
  }
  return {found.share / trials, found.missed / trials};
}

TEST(PlanLooks, EndsAtTheLastRoundAndRises) {
  for (const std::size_t rounds : {6U, 7U, 10U, 40U, 41U, 500U}) {
    const std::vector<Look> looks = PlanLooks(rounds);
    ASSERT_FALSE(looks.empty());
    EXPECT_EQ(looks.back().rounds, rounds);
    for (std::size_t i = 0; i < looks.size(); ++i) {
      EXPECT_GT(looks[i].level, 0);
      EXPECT_LE(looks[i].level, 0.04 + 1e-9);
      EXPECT_GE(looks[i].rounds, kLeastRounds);
      if (i > 0) {
        EXPECT_GT(looks[i].rounds, looks[i - 1].rounds);
      }
    }
  }
  EXPECT_TRUE(PlanLooks(5).empty());
}

TEST(PlanLooks, SpendsEverythingAtASingleLook) {
  const std::vector<Look> looks = PlanLooks(6, 0.05);
  ASSERT_EQ(looks.size(), 1U);
  EXPECT_NEAR(looks[0].level, 0.05, 1e-9);
}

TEST(PlanLooks, KeepsTheErrorRateOfARandomWalk) {
  const std::vector<Look> looks = PlanLooks(40, 0.05);
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  int crossed = 0;
  constexpr int kTrials = 50'000;
  for (int trial = 0; trial < kTrials; ++trial) {
    double sum = 0;
    std::size_t rounds = 0;
    bool is_crossed = false;
    for (const Look& look : looks) {
      for (; rounds < look.rounds; ++rounds) sum += normal(random);
      const double z = std::fabs(sum) / std::sqrt(static_cast<double>(rounds));
      is_crossed = is_crossed || std::erfc(z / std::sqrt(2.0)) < look.level;
    }
    crossed += is_crossed;
  }
  // Four standard deviations of 50,000 trials.
  EXPECT_NEAR(crossed / static_cast<double>(kTrials), 0.05, 0.004);
}

TEST(Sequential, CallsEqualCommandsDifferentInAtMostFivePercent) {
  const Found found = Simulate(0, 1000);
  EXPECT_LE(found.share, 0.05);
  EXPECT_GT(found.share, 0.01);
}

TEST(Sequential, FindsThreePercentInFourOfFiveMeasurements) {
  const Found found = Simulate(0.03, 500);
  EXPECT_GE(found.share, 0.8);
  // The interval is right at whatever look the measurement stops.
  EXPECT_LE(found.missed, 0.07);
}

}  // namespace
}  // namespace csink
