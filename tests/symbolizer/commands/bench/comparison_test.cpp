#include "symbolizer/commands/bench/comparison.h"

#include <gtest/gtest.h>

#include <vector>

namespace csink::bench {
namespace {

/// `count` rounds of about one second of CPU time, in which A needs `ratio` times as much as B, and
/// differences from round to round of at most `noise` to both sides.
std::vector<Round> RoundsOf(std::size_t count, double ratio, double noise) {
  std::vector<Round> rounds(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double part = 2 * static_cast<double>(i) / static_cast<double>(count - 1) - 1;
    rounds[i].b[static_cast<std::size_t>(Metric::kCpu)] = 1;
    rounds[i].a[static_cast<std::size_t>(Metric::kCpu)] = ratio * (1 + noise * part);
  }
  return rounds;
}

TEST(Judge, FindsTheSlowerSide) {
  const Outcome outcome = Judge(RoundsOf(10, 1.1, 0.02), {10, 0.01}, {});
  EXPECT_EQ(outcome.change, Change::kSlower);
  EXPECT_TRUE(outcome.is_answered);
  ASSERT_EQ(outcome.metrics.size(), 1U);
  EXPECT_NEAR(outcome.metrics[0].ratio, 1.1, 0.005);
  EXPECT_LT(outcome.metrics[0].interval.low, 1.1);
  EXPECT_GT(outcome.metrics[0].interval.high, 1.1);
  EXPECT_EQ(Judge(RoundsOf(10, 0.9, 0.02), {10, 0.01}, {}).change, Change::kFaster);
}

TEST(Judge, ComparesTheIntervalWithTheLimit) {
  Question question;
  question.max_slowdown = 0.03;
  question.precision = 0.0001;
  EXPECT_EQ(Judge(RoundsOf(10, 1.1, 0.02), {10, 0.01}, question).limit, Limit::kExceeded);
  EXPECT_EQ(Judge(RoundsOf(10, 1.0, 0.02), {10, 0.01}, question).limit, Limit::kKept);
  // The sign of the change is known, but not which side of the limit it is on.
  const Outcome unclear = Judge(RoundsOf(10, 1.03, 0.02), {10, 0.01}, question);
  EXPECT_EQ(unclear.limit, Limit::kUnclear);
  EXPECT_EQ(unclear.change, Change::kSlower);
  EXPECT_FALSE(unclear.is_answered);
}

TEST(Judge, CallsTheMachineTooNoisyWhereTheIntervalIsWide) {
  const Outcome outcome = Judge(RoundsOf(20, 1.0, 0.5), {20, 0.03}, {});
  EXPECT_EQ(outcome.change, Change::kUnclear);
  EXPECT_FALSE(outcome.is_answered);
  EXPECT_GT(outcome.rounds_for_precision, 100U);
  const Outcome quiet = Judge(RoundsOf(20, 1.0, 0.005), {20, 0.03}, {});
  EXPECT_EQ(quiet.change, Change::kSame);
  EXPECT_TRUE(quiet.is_answered);
}

TEST(Judge, GoesOnUntilThePrecisionIfThatIsAsked) {
  Question question;
  question.only_precision = true;
  question.precision = 0.001;
  const Outcome outcome = Judge(RoundsOf(10, 1.5, 0.1), {10, 0.01}, question);
  EXPECT_EQ(outcome.change, Change::kSlower);
  EXPECT_FALSE(outcome.is_answered);
}

TEST(Judge, LetsInstructionsDecideWhereAllRunsHaveThem) {
  std::vector<Round> rounds = RoundsOf(10, 1.1, 0.02);
  constexpr auto kAt = static_cast<std::size_t>(Metric::kInstructions);
  for (Round& round : rounds) round.a[kAt] = round.b[kAt] = 1e9;
  const Outcome outcome = Judge(rounds, {10, 0.01}, {});
  ASSERT_EQ(outcome.metrics.size(), 2U);
  EXPECT_EQ(outcome.metrics[0].metric, Metric::kInstructions);
  EXPECT_EQ(outcome.change, Change::kSame);
  rounds[3].b[kAt] = 0;
  EXPECT_EQ(Judge(rounds, {10, 0.01}, {}).metrics[0].metric, Metric::kCpu);
}

TEST(Judge, LooksOnlyAtTheRoundsOfTheLook) {
  std::vector<Round> rounds = RoundsOf(10, 1.0, 0.01);
  rounds.push_back(RoundsOf(2, 9.0, 0.01)[0]);
  EXPECT_EQ(Judge(rounds, {10, 0.01}, {}).rounds, 10U);
  EXPECT_LT(Judge(rounds, {10, 0.01}, {}).metrics[0].ratio, 1.1);
}

TEST(Judge, SaysNothingAboutRunsWithoutTime) {
  EXPECT_TRUE(Judge(std::vector<Round>(10), {10, 0.01}, {}).metrics.empty());
  EXPECT_TRUE(Judge({}, {10, 0.01}, {}).metrics.empty());
}

}  // namespace
}  // namespace csink::bench
