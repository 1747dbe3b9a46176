#include "core/sampling/first_period.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

namespace csink {
namespace {

constexpr std::uint64_t kPeriod = 1'000'003;

FirstPeriod::Chance PeriodOf(std::uint64_t period) { return {period, std::uint64_t{1} << 63}; }

// What the threads of one length give in all, in periods: each event fires at r, 2r, ... until its
// thread ends, or until it is replaced at `replaced_at` by one that fires every kPeriod.
double SampledPeriods(double length, int threads, double replaced_at, FirstPeriodNumbers& numbers,
                      bool rare_short = false) {
  const auto end = static_cast<std::uint64_t>(length * kPeriod);
  const auto change = static_cast<std::uint64_t>(replaced_at * kPeriod);
  double taken = 0;
  for (int i = 0; i < threads; ++i) {
    FirstPeriod first;
    first.Draw(kPeriod, true, numbers.Next(), rare_short);
    const std::uint64_t step = first.period();
    std::uint64_t at = step;
    for (; at < end && at < change; at += step) taken += first.Take(kPeriod, at + 2000);
    if (change >= end) continue;
    taken += first.TakeForReplacement();
    for (at = change + kPeriod; at < end; at += kPeriod) ++taken;
  }
  return taken / threads;
}

TEST(FirstPeriodTake, SamplesThreadsOfEveryLengthAsOftenAsTheyAreLong) {
  FirstPeriodNumbers numbers;
  numbers.Begin(4711, 0);
  for (const double length : {0.15, 0.2, 0.5, 0.7, 1.0, 1.3, 1.5, 2.0, 2.7, 3.5, 8.0, 20.0}) {
    EXPECT_NEAR(SampledPeriods(length, 20'000, 1e9, numbers) / length, 1, 0.01) << length;
  }
}

TEST(FirstPeriodTake, SamplesProcessesOfEveryLengthAsOftenAsTheyAreLong) {
  FirstPeriodNumbers numbers;
  numbers.Begin(4711, 0);
  for (const double length : {0.15, 0.2, 0.24, 0.3, 0.7, 1.0, 1.3, 2.0, 2.7, 3.5, 8.0, 20.0}) {
    EXPECT_NEAR(SampledPeriods(length, 40'000, 1e9, numbers, true) / length, 1, 0.015) << length;
  }
}

TEST(FirstPeriodTake, IsRightWhereverTheChanceBegins) {
  for (std::uint64_t chance = 0; chance < 50; ++chance) {
    FirstPeriodNumbers numbers;
    numbers.Begin(chance, 0);
    // Even spread: a hundred threads are enough for a few percent.
    EXPECT_NEAR(SampledPeriods(0.7, 100, 1e9, numbers) / 0.7, 1, 0.05) << chance;
  }
}

class FirstPeriodMoments : public testing::TestWithParam<bool> {};

TEST_P(FirstPeriodMoments, AllHaveTheSameChance) {
  // Where samples fall, in tenths of a period, over many threads.
  constexpr int kThreads = 200'000;
  int hits[60] = {};
  FirstPeriodNumbers numbers;
  numbers.Begin(1, 0);
  for (int i = 0; i < kThreads; ++i) {
    FirstPeriod first;
    first.Draw(kPeriod, true, numbers.Next(), GetParam());
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
INSTANTIATE_TEST_SUITE_P(OfThreadsAndOfProcesses, FirstPeriodMoments, testing::Bool());

TEST(FirstPeriodTake, LeavesOutWhatFiredInTheKernelWithoutMistakingTheNext) {
  // Every other overflow finds the thread in kernel mode and leaves no record: half the samples.
  FirstPeriodNumbers numbers;
  numbers.Begin(99, 0);
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
  first.Draw(kPeriod, true, PeriodOf(0));  // the shortest
  const std::uint64_t step = first.period();
  EXPECT_EQ(first.Take(kPeriod, step + 30'000), 1u);
  EXPECT_EQ(first.Take(kPeriod, 2 * step + 30'000), 0u);
}

TEST(FirstPeriodReplaced, MakesGoodWhatTheChangeCosts) {
  FirstPeriodNumbers numbers;
  numbers.Begin(7, 0);
  for (const double replaced_at : {4.2, 6.5, 11.0}) {
    EXPECT_NEAR(SampledPeriods(20, 20'000, replaced_at, numbers) / 20, 1, 0.03) << replaced_at;
  }
}

TEST(FirstPeriodWorthReplacing, WhenAReplacementCostsNoMoreThanItSavedAndAtMostThreeRefusals) {
  FirstPeriod first;
  first.Draw(kPeriod, true, PeriodOf(1ull << 63));  // half a period: one interrupt more in each
  EXPECT_FALSE(first.WorthReplacing(kPeriod));
  for (int i = 1; i <= 9; ++i) {
    EXPECT_FALSE(first.WorthReplacing(kPeriod)) << i;
    first.Take(kPeriod, i * first.period());
  }
  EXPECT_TRUE(first.WorthReplacing(kPeriod));
  first.Refused();
  first.Refused();
  EXPECT_TRUE(first.WorthReplacing(kPeriod));
  first.Refused();
  EXPECT_FALSE(first.WorthReplacing(kPeriod));
  EXPECT_EQ(first.DueIn(kPeriod), FirstPeriod::kNever);
}

TEST(FirstPeriodDueIn, SoonForAShortOneAndLateForOneNearTheWhole) {
  FirstPeriod first;
  first.Draw(kPeriod, true, PeriodOf(0));
  EXPECT_EQ(first.DueIn(kPeriod), kPeriod);  // not before: what number 1 speaks for must be over
  first.Take(kPeriod, first.period());
  EXPECT_EQ(first.DueIn(kPeriod), kPeriod - first.period());
  first.Draw(kPeriod, true, PeriodOf(3ull << 62));  // three quarters
  EXPECT_NEAR(static_cast<double>(first.DueIn(kPeriod)), 12. * kPeriod, 400);
  first.Draw(kPeriod, true, PeriodOf(~0ull));
  EXPECT_EQ(first.DueIn(kPeriod), FirstPeriod::kNever);
  first.SetSteady();
  EXPECT_EQ(first.DueIn(kPeriod), FirstPeriod::kNever);
}

// As the agent does it in the only thread: a timer set to the moment when it is due, which the
// kernel looks at every four periods, from anywhere on.
double TakenByAProcess(std::uint64_t end, std::uint64_t tick_from,
                       const FirstPeriod::Chance& chance, bool rare_short) {
  FirstPeriod first;
  first.Draw(kPeriod, true, chance, rare_short);
  const std::uint64_t due = first.DueIn(kPeriod);
  std::uint64_t look = tick_from;
  while (look < due && look < end) look += 4 * kPeriod;
  double taken = 0;
  const std::uint64_t step = first.period();
  for (std::uint64_t at = step; at < end && at < look; at += step) taken += first.Take(kPeriod, at);
  if (look >= end) return taken;
  taken += first.TakeForReplacement();
  return taken + static_cast<double>((end - look - 1) / kPeriod);
}

class FirstPeriodReplacedWhenDue : public testing::TestWithParam<bool> {};

TEST_P(FirstPeriodReplacedWhenDue, LosesNothingOfAnyLength) {
  FirstPeriodNumbers numbers;
  numbers.Begin(5, 0);
  constexpr std::uint64_t kProcesses = 100'000;
  // Also shorter than a period after the replacement: 2 to 5 periods were 2 % too short once.
  for (const double length : {1.1, 2.1, 3.0, 4.1, 4.6, 5.0, 8.0, 13.0, 20.0, 40.0}) {
    const auto end = static_cast<std::uint64_t>(length * kPeriod);
    double taken = 0;
    for (std::uint64_t i = 0; i < kProcesses; ++i) {
      taken += TakenByAProcess(end, i % 3989 * kPeriod * 4 / 3989, numbers.Next(), GetParam());
    }
    EXPECT_NEAR(taken / kProcesses / length, 1, 0.006) << length;
  }
}
INSTANTIATE_TEST_SUITE_P(OfThreadsAndOfProcesses, FirstPeriodReplacedWhenDue, testing::Bool());

TEST(FirstPeriodReplaced, OwesLessToAThreadThatIsInTheKernelMostOfTheTime) {
  // One overflow of four finds it in user mode: an eighth of a period is lost, not a half.
  constexpr std::uint64_t kThreads = 1024;
  unsigned owed = 0;
  for (std::uint64_t i = 0; i < kThreads; ++i) {
    FirstPeriod first;
    first.Draw(kPeriod, true, {std::uint64_t{1} << 60, (i << 54) + 1});
    first.Take(kPeriod, 4 * first.period());
    owed += first.TakeForReplacement();
  }
  EXPECT_NEAR(owed, kThreads / 8, kThreads / 50);
}

TEST(FirstPeriodNumbers, OfOneFamilyAreEvenlySpreadAndOthersBeginElsewhere) {
  // A hundred processes in a row: each hundredth of what can be drawn once, or nearly.
  int hits[100] = {};
  FirstPeriodNumbers numbers;
  for (std::uint64_t pid = 4000; pid < 4100; ++pid) {
    numbers.Begin(77, pid);
    ++hits[numbers.Next().period / (~0ull / 100 + 1)];
  }
  for (const int hit : hits) EXPECT_LE(hit, 2);
  numbers.Begin(77, 4000);
  const std::uint64_t first = numbers.Next().period;
  numbers.Begin(78, 4000);
  EXPECT_NE(first, numbers.Next().period);
  numbers.Begin(77, 3999);
  numbers.Next();
  EXPECT_EQ(first, numbers.Next().period) << "a thread's number is its next process's";
}

TEST(FirstPeriodDraw, StaysBetweenTheShortestAndTheWhole) {
  for (const std::uint64_t random : {0ull, 1ull, 1ull << 59, 1ull << 63, ~0ull}) {
    FirstPeriod first;
    first.Draw(kPeriod, true, PeriodOf(random));
    EXPECT_GT(first.period(), kPeriod / 16);
    EXPECT_LE(first.period(), kPeriod);
  }
}

TEST(FirstPeriodDraw, IsSteadyWhereThereIsNothingToChoose) {
  FirstPeriod first;
  first.Draw(1, false, PeriodOf(12345));  // every page fault
  EXPECT_TRUE(first.steady());
  first.Draw(80'000, true, PeriodOf(12345));  // 12.5 kHz
  EXPECT_TRUE(first.steady());
  first.Draw(100'000, true, PeriodOf(12345));
  EXPECT_FALSE(first.steady());
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
