#include "core/overflow/first_period.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

namespace csink {
namespace {

constexpr std::uint64_t kPeriod = 1'000'003;

// What the threads of one length give in all, in periods: each event fires at r, 2r, ... until its
// thread ends, or until it is replaced at `replaced_at` by one that fires every kPeriod.
double SampledPeriods(double length, int threads, double replaced_at, FirstPeriodNumbers& numbers) {
  const auto end = static_cast<std::uint64_t>(length * kPeriod);
  const auto change = static_cast<std::uint64_t>(replaced_at * kPeriod);
  double taken = 0;
  for (int i = 0; i < threads; ++i) {
    FirstPeriod first;
    first.Draw(kPeriod, true, numbers.Next());
    const std::uint64_t step = first.period();
    std::uint64_t at = step;
    for (; at < end && at < change; at += step) taken += first.Take(kPeriod, at + 2000);
    if (change >= end) continue;
    first.Replaced();
    for (at = change + kPeriod; at < end; at += kPeriod) taken += first.TakeSteady();
  }
  return taken / threads;
}

TEST(FirstPeriodTake, SamplesThreadsOfEveryLengthAsOftenAsTheyAreLong) {
  FirstPeriodNumbers numbers;
  numbers.Begin(4711);
  for (const double length : {0.15, 0.2, 0.5, 0.7, 1.0, 1.3, 1.5, 2.0, 2.7, 3.5, 8.0, 20.0}) {
    EXPECT_NEAR(SampledPeriods(length, 20'000, 1e9, numbers) / length, 1, 0.01) << length;
  }
}

TEST(FirstPeriodTake, IsRightWhereverTheChanceBegins) {
  for (std::uint64_t chance = 0; chance < 50; ++chance) {
    FirstPeriodNumbers numbers;
    numbers.Begin(chance);
    // Even spread: a hundred threads are enough for a few percent.
    EXPECT_NEAR(SampledPeriods(0.7, 100, 1e9, numbers) / 0.7, 1, 0.05) << chance;
  }
}

TEST(FirstPeriodTake, EveryMomentHasTheSameChance) {
  // Where samples fall, in tenths of a period, over many threads.
  constexpr int kThreads = 200'000;
  int hits[60] = {};
  FirstPeriodNumbers numbers;
  numbers.Begin(1);
  for (int i = 0; i < kThreads; ++i) {
    FirstPeriod first;
    first.Draw(kPeriod, true, numbers.Next());
    for (std::uint64_t at = first.period(); at < 6 * kPeriod; at += first.period()) {
      hits[at * 10 / kPeriod] += static_cast<int>(first.Take(kPeriod, at));
    }
  }
  // The first sixteenth is spoken for by the second: together they fill 0 .. 0.125.
  EXPECT_NEAR((hits[0] + hits[1]) / (0.2 * kThreads), 1, 0.02);
  for (int tenth = 2; tenth < 60; ++tenth) {
    EXPECT_NEAR(hits[tenth] / (0.1 * kThreads), 1, 0.04) << tenth;
  }
}

TEST(FirstPeriodTake, LeavesOutWhatFiredInTheKernelWithoutMistakingTheNext) {
  // Every other overflow finds the thread in kernel mode and leaves no record: half the samples.
  FirstPeriodNumbers numbers;
  numbers.Begin(99);
  constexpr int kThreads = 20'000;
  double taken = 0;
  for (int i = 0; i < kThreads; ++i) {
    FirstPeriod first;
    first.Draw(kPeriod, true, numbers.Next());
    for (std::uint64_t at = first.period(); at < 10 * kPeriod; at += first.period()) {
      // By time, as a program does: 0.1 periods in user mode, 0.1 in the kernel.
      if (at * 10 / kPeriod % 2 == 0) taken += first.Take(kPeriod, at);
    }
  }
  EXPECT_NEAR(taken / kThreads, 5, 0.25);
}

TEST(FirstPeriodTake, TakesALateFirstInterruptForTheFirst) {
  FirstPeriod first;
  first.Draw(kPeriod, true, 0);  // the shortest
  const std::uint64_t step = first.period();
  EXPECT_EQ(first.Take(kPeriod, step + 30'000), 1u);
  EXPECT_EQ(first.Take(kPeriod, 2 * step + 30'000), 0u);
}

TEST(FirstPeriodReplaced, MakesGoodWhatTheChangeCosts) {
  FirstPeriodNumbers numbers;
  numbers.Begin(7);
  for (const double replaced_at : {4.2, 6.5, 11.0}) {
    EXPECT_NEAR(SampledPeriods(20, 20'000, replaced_at, numbers) / 20, 1, 0.03) << replaced_at;
  }
}

TEST(FirstPeriodWorthReplacing, AfterFourPeriodsAndAtMostThreeRefusals) {
  FirstPeriod first;
  first.Draw(kPeriod, true, 1ull << 63);  // half a period
  EXPECT_FALSE(first.WorthReplacing(kPeriod));
  for (int i = 1; i <= 8; ++i) {
    EXPECT_FALSE(first.WorthReplacing(kPeriod)) << i;
    first.Take(kPeriod, i * first.period());
  }
  EXPECT_TRUE(first.WorthReplacing(kPeriod));
  first.Refused();
  first.Refused();
  EXPECT_TRUE(first.WorthReplacing(kPeriod));
  first.Refused();
  EXPECT_FALSE(first.WorthReplacing(kPeriod));
}

TEST(FirstPeriodDraw, StaysBetweenTheShortestAndTheWhole) {
  for (const std::uint64_t random : {0ull, 1ull, 1ull << 59, 1ull << 63, ~0ull}) {
    FirstPeriod first;
    first.Draw(kPeriod, true, random);
    EXPECT_GT(first.period(), kPeriod / 16);
    EXPECT_LE(first.period(), kPeriod);
  }
}

TEST(FirstPeriodDraw, IsSteadyWhereThereIsNothingToChoose) {
  FirstPeriod first;
  first.Draw(1, false, 12345);  // every page fault
  EXPECT_TRUE(first.steady());
  first.Draw(80'000, true, 12345);  // 12.5 kHz
  EXPECT_TRUE(first.steady());
  first.Draw(100'000, true, 12345);
  EXPECT_FALSE(first.steady());
  EXPECT_EQ(first.TakeSteady(), 1u);
}

TEST(ShortestFirstPeriod, IsASixteenthAndForAClockNotBelowFiftyMicroseconds) {
  EXPECT_EQ(ShortestFirstPeriod(1'600'000, true), 100'000u);
  EXPECT_EQ(ShortestFirstPeriod(200'000, true), 50'000u);
  EXPECT_EQ(ShortestFirstPeriod(99'000, true), 0u);
  EXPECT_EQ(ShortestFirstPeriod(200'000, false), 12'500u);
  EXPECT_EQ(ShortestFirstPeriod(15, false), 0u);
}

}  // namespace
}  // namespace csink
