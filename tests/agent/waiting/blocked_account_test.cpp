#include "agent/waiting/blocked_account.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <random>

namespace csink::agent {
namespace {

TEST(BlockedAccount, BlockedTimeIsWhatIsNeitherRunNorWait) {
  BlockedAccount account;
  account.Start(1000, {50, 10, 1});
  EXPECT_EQ(account.See(2000, {150, 110, 2}), 800);
  EXPECT_EQ(account.Take(), 800u);
  EXPECT_EQ(account.Take(), 0u);
  EXPECT_EQ(account.See(3000, {150, 110, 2}), 1000);
  EXPECT_EQ(account.Take(), 1000u);
}

TEST(BlockedAccount, ALateUpdateOfARunningThreadIsCorrected) {
  BlockedAccount account;
  account.Start(0, {0, 0, 1});
  // The thread ran for 400 of 1,000 ns, but the kernel has noted 100 so far.
  EXPECT_EQ(account.See(1000, {100, 0, 1}), 900);
  EXPECT_EQ(account.See(1500, {400, 0, 1}), 200);
  EXPECT_EQ(account.Take(), 1100u);
  // More than was taken turns out to be run time: nothing is taken until that is made up for.
  EXPECT_EQ(account.See(1600, {600, 0, 2}), -100);
  EXPECT_EQ(account.Take(), 0u);
  EXPECT_EQ(account.See(1800, {600, 0, 2}), 200);
  EXPECT_EQ(account.Take(), 100u);
}

/// A thread that repeats: 1 ms blocked in A, 2 ms of running, 3 ms blocked in B, and is looked at
/// in random moments. What looks take is right in the mean, and adds up to the blocked time.
TEST(BlockedAccount, TheEstimateIsUnbiased) {
  constexpr double kCycle = 6e6;
  std::mt19937_64 random(11);
  std::exponential_distribution<double> until_next(1 / 7e6);
  double in_a = 0;
  double in_b = 0;
  double squares = 0;
  BlockedAccount account;
  account.Start(0, {});
  double now = 0;
  std::uint64_t blocked_at_last = 0;
  for (int i = 0; i < 200'000; ++i) {
    now += until_next(random);
    const double phase = std::fmod(now, kCycle);
    const double cycles = std::floor(now / kCycle);
    const double run = cycles * 2e6 + std::fmin(std::fmax(phase - 1e6, 0), 2e6);
    account.See(static_cast<std::uint64_t>(now), {static_cast<std::uint64_t>(run), 0, 0});
    if (phase >= 1e6 && phase < 3e6) continue;  // it runs
    const auto taken = static_cast<double>(account.Take());
    (phase < 1e6 ? in_a : in_b) += taken;
    squares += taken * taken;
    blocked_at_last = static_cast<std::uint64_t>(now - run);
  }
  EXPECT_NEAR(in_a + in_b, static_cast<double>(blocked_at_last), 10);
  const double share = in_a / (in_a + in_b);
  const double error = std::sqrt(0.25 * 0.75 * squares) / (in_a + in_b);
  EXPECT_NEAR(share, 0.25, 4 * error);
  EXPECT_LT(error, 0.01);
}

}  // namespace
}  // namespace csink::agent
