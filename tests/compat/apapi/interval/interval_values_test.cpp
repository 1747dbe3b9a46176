#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "compat/apapi/interval/event_values.h"

namespace csink {
namespace {

constexpr long long kNever = std::numeric_limits<long long>::max();
constexpr long long kMs = 1'000'000;

ValueRule Accumulating(long long largest, ValueType type = ValueType::kSigned) {
  return {type, IntervalOperation::kPerTime, kAllFields, kAllFields, largest};
}

ValueRule Plain(IntervalOperation operation, ValueType type = ValueType::kSigned) {
  return {type, operation, kAllFields, kAllFields, 0};
}

struct Four {
  long double field[kFields] = {};
  explicit Four(const RunningStatistics& of) { of.Store(kAllFields, field); }
};

long long Bits(double value) { return std::bit_cast<long long>(value); }

TEST(GrowthOf, IsTheDifferenceAndCountsTheStepOfAWrap) {
  bool backwards = false;
  const ValueRule rule = Accumulating(0xffffffff);
  EXPECT_EQ(GrowthOf(rule, 10, 25, &backwards), 15);
  EXPECT_EQ(GrowthOf(rule, 0xffffffff, 0, &backwards), 1);
  EXPECT_EQ(GrowthOf(rule, 0xfffffff0, 5, &backwards), 21);
  EXPECT_FALSE(backwards);
}

TEST(GrowthOf, WrapsAt63BitsToo) {
  bool backwards = false;
  EXPECT_EQ(GrowthOf(Accumulating(kNever), kNever - 4, 4, &backwards), 9);
  EXPECT_EQ(GrowthOf(Accumulating(kNever), 0, kNever, &backwards), kNever);
  EXPECT_FALSE(backwards);
}

TEST(GrowthOf, OfACounterThatNeverWrapsIsNothingWhenItBeginsAnew) {
  bool backwards = false;
  EXPECT_EQ(GrowthOf(Accumulating(kNever), 5'000'000, 3, &backwards), 0);
  EXPECT_TRUE(backwards);
}

TEST(GrowthOf, OfACounterThatWasAboveItsLargestIsNothing) {
  for (const ValueType type : {ValueType::kSigned, ValueType::kUnsigned}) {
    bool backwards = false;
    EXPECT_EQ(GrowthOf(Accumulating(1000, type), 4000, 3990, &backwards), 0);
    EXPECT_TRUE(backwards);
    backwards = false;
    EXPECT_EQ(GrowthOf(Accumulating(1000, type), 4000, 3, &backwards), 0);
    EXPECT_TRUE(backwards);
    backwards = false;
    EXPECT_EQ(GrowthOf(Accumulating(1000, type), 1000, 3, &backwards), 4);
    EXPECT_FALSE(backwards);
  }
  bool backwards = false;
  EXPECT_EQ(GrowthOf(Accumulating(1000), 900, -500, &backwards), 0);
  EXPECT_TRUE(backwards);
}

TEST(GrowthOf, ComparesUnsignedValuesAsSuch) {
  bool backwards = false;
  const ValueRule rule = Accumulating(kNever, ValueType::kUnsigned);
  EXPECT_EQ(GrowthOf(rule, kNever - 2, std::bit_cast<long long>((1ull << 63) + 5), &backwards), 8);
  EXPECT_FALSE(backwards);
}

TEST(GrowthOf, OfFloatingCountersIsFloating) {
  bool backwards = false;
  const ValueRule rule = Accumulating(100, ValueType::kFloating);
  EXPECT_EQ(GrowthOf(rule, Bits(1.25), Bits(2.5), &backwards), Bits(1.25));
  EXPECT_EQ(GrowthOf(rule, Bits(99.5), Bits(0.25), &backwards), Bits(0.75));
  EXPECT_FALSE(backwards);
  EXPECT_EQ(GrowthOf(rule, Bits(500), Bits(0.25), &backwards), Bits(0));
  EXPECT_TRUE(backwards);
  backwards = false;
  const ValueRule never = Accumulating(kNever, ValueType::kFloating);
  EXPECT_EQ(GrowthOf(never, Bits(7.5), Bits(0.25), &backwards), Bits(0));
  EXPECT_TRUE(backwards);
}

TEST(EventValues, TheFirstMeasurementIsInNoStatistics) {
  EventValues values(Plain(IntervalOperation::kTimesTime));
  values.Add(1'000'000, 0);
  EXPECT_EQ(values.value0(), 1'000'000);
  EXPECT_EQ(Four(values.statistics0()).field[kMaximum], 0);
  values.Add(5, 10);
  EXPECT_EQ(Four(values.statistics0()).field[kMaximum], 5);
  EXPECT_EQ(Four(values.statistics0()).field[kMinimum], 5);
  EXPECT_EQ(Four(values.statistics1()).field[kSum], 50);
}

TEST(EventValues, TheMaximumOfNegativeValuesIsNegative) {
  EventValues values(Plain(IntervalOperation::kNone));
  for (const long long raw : {-1, -5, -3, -9}) values.Add(raw, 1);
  const Four found(values.statistics0());
  EXPECT_EQ(found.field[kMaximum], -3);
  EXPECT_EQ(found.field[kMinimum], -9);
  EXPECT_EQ(found.field[kSum], -17);
  EXPECT_EQ(Four(values.statistics1()).field[kMaximum], 0);  // no operation: no value1
}

TEST(EventValues, AnIntervalWeighsInTheMean) {
  EventValues values(Plain(IntervalOperation::kNone));
  values.Add(777, 0);
  values.Add(10, 3'000);
  values.Add(50, 1'000);
  EXPECT_EQ(Four(values.statistics0()).field[kMean], 20);
}

TEST(EventValues, TheFiveOperations) {
  struct Row {
    IntervalOperation operation;
    long double value1;
  };
  const Row rows[] = {{IntervalOperation::kNone, 0},
                      {IntervalOperation::kDifference, -3},
                      {IntervalOperation::kPerTime, 0.5L},
                      {IntervalOperation::kTimesTime, 50},
                      {IntervalOperation::kMeanTimesTime, 65}};
  for (const Row& row : rows) {
    EventValues values(Plain(row.operation));
    values.Add(8, 0);
    values.Add(5, 10);
    EXPECT_EQ(values.value1(), row.value1) << static_cast<int>(row.operation);
  }
}

TEST(EventValues, OperationsOnTwoValuesBeginWithTheSecondGrowth) {
  ValueRule rule = Accumulating(kNever);
  rule.operation = IntervalOperation::kDifference;
  EventValues values(rule);
  values.Add(1'000'000, 0);
  values.Add(1'000'010, 5);
  EXPECT_EQ(values.value1(), 0);
  values.Add(1'000'035, 5);
  EXPECT_EQ(values.value1(), 15);
  EXPECT_EQ(Four(values.statistics1()).field[kMinimum], 15);
}

TEST(EventValues, TwoMeasurementsAtOneTimeDivideNothingByZero) {
  EventValues values(Accumulating(kNever));
  values.Add(1, 0);
  values.Add(5, 0);
  EXPECT_EQ(Four(values.statistics0()).field[kMean], 4);
  EXPECT_EQ(Four(values.statistics1()).field[kMaximum], 0);
}

// 10 W (nJ per ns) of a counter that moves every 1 ms, read every 100 ms and once more at the end.
TEST(EventValues, AShortIntervalIsNoExtremeOfARate) {
  for (const long long last_us : {200, 1'100, 1'900, 49'000}) {
    ValueRule rule = Accumulating(kNever);
    rule.shortest_ns = 50 * kMs;
    EventValues values(rule);
    long long now = 300'000;  // not at a move of the counter
    values.Add(now / kMs * kMs * 10, 0);
    for (int i = 0; i < 10; ++i) values.Add((now += 100 * kMs) / kMs * kMs * 10, 100 * kMs);
    values.Add((now += last_us * 1000) / kMs * kMs * 10, last_us * 1000);
    const Four rate(values.statistics1());
    EXPECT_EQ(rate.field[kMinimum], 10) << last_us;
    EXPECT_EQ(rate.field[kMaximum], 10) << last_us;
    // The mean is of the whole time: all that the counter has grown by.
    const long double seconds = 1'000'000'000.0L + static_cast<long double>(last_us) * 1000;
    EXPECT_NEAR(static_cast<double>(rate.field[kMean] * seconds),
                static_cast<double>(Four(values.statistics0()).field[kSum]), 1);
  }
}

TEST(EventValues, ShortIntervalsAloneHaveTheirMeanAsExtremes) {
  ValueRule rule = Accumulating(kNever);
  rule.shortest_ns = 50;
  EventValues values(rule);
  values.Add(0, 0);
  values.Add(10, 10);
  values.Add(50, 10);
  const Four rate(values.statistics1());
  EXPECT_DOUBLE_EQ(static_cast<double>(rate.field[kMinimum]), 2.5);
  EXPECT_DOUBLE_EQ(static_cast<double>(rate.field[kMaximum]), 2.5);
  values.Add(150, 50);  // a full one
  EXPECT_EQ(Four(values.statistics1()).field[kMinimum], 2);
  EXPECT_EQ(Four(values.statistics1()).field[kMaximum], 2);
}

/// An energy counter that adds at multiples of `update_ns`, in nJ; `watts` in each of two halves of
/// `half_ns`, one after the other.
struct Steps {
  double watts[2];
  long long update_ns, half_ns;
  long long At(long long ns) const {
    const long long updated = ns / update_ns * update_ns;
    const long long pairs = updated / (2 * half_ns), rest = updated % (2 * half_ns);
    const double in_pair = watts[0] * static_cast<double>(std::min(rest, half_ns)) +
                           watts[1] * static_cast<double>(std::max(rest - half_ns, 0LL));
    return static_cast<long long>(static_cast<double>(pairs * half_ns) * (watts[0] + watts[1]) +
                                  in_pair);
  }
};

/// Reads the counter for `length_ns`, every `interval_ns` and up to a fifth of it late.
EventValues Watch(const Steps& counter, const ValueRule& rule, long long interval_ns,
                  long long length_ns, unsigned seed) {
  std::mt19937 random(seed);
  EventValues values(rule);
  std::uniform_int_distribution<long long> phase(0, counter.update_ns), late(0, interval_ns / 5);
  const long long begin = phase(random);
  long long before = begin;
  values.Add(counter.At(begin), 0);
  for (long long due = interval_ns; due <= length_ns; due += interval_ns) {
    const long long now = begin + due + late(random);
    values.Add(counter.At(now), now - before);
    before = now;
  }
  return values;
}

ValueRule Stepping(long long interval_ns, long long update_ns) {
  ValueRule rule = Accumulating(kNever);
  rule.shortest_ns = interval_ns / 2;
  rule.has_steps = true;
  rule.update_ns = update_ns;
  return rule;
}

// As cards of NVIDIA: steps of 100 ms. Read every 20 ms, four of five growths are 0.
TEST(EventValues, TheExtremesOfACounterWithSlowStepsAreThoseOfItsPower) {
  for (const long long ms : {5, 20, 33, 90, 100, 110, 250, 1000}) {
    for (const long long documented : {100 * kMs, 0LL}) {
      // Read as often as it moves, a counter does not show that it has steps.
      if (documented == 0 && ms >= 90) continue;
      for (unsigned seed = 0; seed < 50; ++seed) {
        const Steps counter = {{75, 700}, 100 * kMs, 10'000 * kMs};
        const Four rate(Watch(counter, Stepping(ms * kMs, documented), ms * kMs, 60'000 * kMs, seed)
                            .statistics1());
        EXPECT_NEAR(static_cast<double>(rate.field[kMinimum]), 75, 8) << ms << ' ' << seed;
        EXPECT_NEAR(static_cast<double>(rate.field[kMaximum]), 700, 72) << ms << ' ' << seed;
        EXPECT_NEAR(static_cast<double>(rate.field[kMean]), 387.5, 10);
      }
    }
  }
}

// As servers of Dell: 1 Wh is 18 s at 200 W.
TEST(EventValues, ACounterOfLargeStepsHasNoPowerBetweenThem) {
  const Steps counter = {{200, 200}, 18'000 * kMs, 18'000 * kMs};
  const Four rate(
      Watch(counter, Stepping(100 * kMs, 0), 100 * kMs, 180'000 * kMs, 1).statistics1());
  EXPECT_NEAR(static_cast<double>(rate.field[kMinimum]), 200, 2);
  EXPECT_NEAR(static_cast<double>(rate.field[kMaximum]), 200, 2);
}

// As RAPL: an interval has 100 steps, and each is a power.
TEST(EventValues, FastStepsLeaveEachInterval) {
  const Steps counter = {{10, 60}, kMs, 200 * kMs};
  const Four rate(Watch(counter, Stepping(100 * kMs, 0), 100 * kMs, 3'000 * kMs, 1).statistics1());
  EXPECT_NEAR(static_cast<double>(rate.field[kMinimum]), 10, 0.5);
  EXPECT_NEAR(static_cast<double>(rate.field[kMaximum]), 60, 3);
}

TEST(EventValues, ACounterThatStopsForLongHasAPowerOfZero) {
  EventValues values(Stepping(10 * kMs, 100 * kMs));
  long long energy = 0;
  values.Add(energy, 0);
  for (int i = 1; i <= 200; ++i) values.Add(energy += i % 10 == 0 ? 5000 : 0, 10 * kMs);
  EXPECT_GT(Four(values.statistics1()).field[kMinimum], 0);
  for (int i = 1; i <= 99; ++i) values.Add(energy, 10 * kMs);
  EXPECT_GT(Four(values.statistics1()).field[kMinimum], 0);
  for (int i = 1; i <= 10; ++i) values.Add(energy, 10 * kMs);
  EXPECT_EQ(Four(values.statistics1()).field[kMinimum], 0);
}

TEST(EventValues, AShortRunOfACounterWithSlowStepsHasItsMeanAsExtremes) {
  const Steps counter = {{75, 700}, 100 * kMs, 200 * kMs};
  const EventValues values = Watch(counter, Stepping(20 * kMs, 100 * kMs), 20 * kMs, 700 * kMs, 1);
  const Four rate(values.statistics1());
  EXPECT_NEAR(static_cast<double>(rate.field[kMinimum] / rate.field[kMean]), 1, 1e-12);
  EXPECT_EQ(rate.field[kMinimum], rate.field[kMaximum]);
}

TEST(EventValues, UnderstandsEachType) {
  const long long top = std::bit_cast<long long>(~0ull);
  for (const ValueType type : {ValueType::kUnsigned, ValueType::kBits}) {
    EventValues values(Plain(IntervalOperation::kNone, type));
    values.Add(top, 0);
    values.Add(top, 1);
    EXPECT_EQ(Four(values.statistics0()).field[kMaximum], 18446744073709551615.0L);
  }
  EventValues floating(Plain(IntervalOperation::kNone, ValueType::kFloating));
  floating.Add(Bits(3), 0);
  floating.Add(Bits(-2.5), 1);
  EXPECT_EQ(Four(floating.statistics0()).field[kMaximum], -2.5L);
}

TEST(EventValues, LeavesOutWhatIsNoNumber) {
  EventValues values(Plain(IntervalOperation::kTimesTime, ValueType::kFloating));
  for (const double raw : {1.0, 2.0, std::nan(""), HUGE_VAL, 4.0}) values.Add(Bits(raw), 2);
  const Four found(values.statistics0());
  EXPECT_EQ(found.field[kSum], 6);
  EXPECT_EQ(found.field[kMean], 3);
  EXPECT_EQ(Four(values.statistics1()).field[kMaximum], 8);
}

// What a run of 1e9 samples does to a sum: terms far below what a long double of its size can hold.
TEST(RunningStatistics, SmallTermsAreNotLostBesideALargeSum) {
  RunningStatistics statistics;
  constexpr long double kLarge = 1e21L;
  statistics.Add(kAllFields, kLarge, 1);
  constexpr int kSmall = 4'000'000;
  for (int i = 0; i < kSmall; ++i) statistics.Add(kAllFields, 1.0L / 1024, 1);
  statistics.Add(kAllFields, -kLarge, 1);
  const Four found(statistics);
  EXPECT_EQ(found.field[kSum], kSmall / 1024.0L);
  EXPECT_EQ(found.field[kMean], kSmall / 1024.0L / (kSmall + 2));
}

TEST(RunningStatistics, ALongRunKeepsItsMeanAndSum) {
  RunningStatistics statistics;
  constexpr int kSamples = 20'000'000;
  const long double tenth = 0.1L;
  for (int i = 0; i < kSamples; ++i) statistics.Add(kAllFields, tenth, 1e6L);
  const Four found(statistics);
  // Naive addition is off by 1e-12 here.
  EXPECT_NEAR(static_cast<double>(found.field[kSum] / (tenth * kSamples) - 1), 0, 1e-18);
  EXPECT_NEAR(static_cast<double>(found.field[kMean] / tenth - 1), 0, 1e-18);
}

TEST(EventValues, CountersNearTheEndOf63BitsAreExact) {
  EventValues values(Plain(IntervalOperation::kNone));
  values.Add(0, 0);
  for (int i = 0; i < 1000; ++i) values.Add(kNever - (i & 1), 7);
  const Four found(values.statistics0());
  // 500 times 2^63 - 1 and 500 times 2^63 - 2.
  EXPECT_EQ(found.field[kSum], 1000.0L * 9223372036854775808.0L - 1500);
  EXPECT_EQ(found.field[kMinimum], 9223372036854775806.0L);
}

}  // namespace
}  // namespace csink
