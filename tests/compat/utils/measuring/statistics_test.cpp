#include "compat/utils/measuring/statistics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <climits>
#include <numeric>

namespace csink::utils {
namespace {

using testing::ElementsAre;

std::vector<long long> UpTo(long long last) {
  std::vector<long long> values(static_cast<std::size_t>(last));
  std::iota(values.begin(), values.end(), 1);
  return values;
}

TEST(SpreadOf, DividesByOneLessThanTheCount) {
  // 81 times 7 and 20 times 27, as papi_cost of papi-tools 7.0 prints them: 10.960396 and 8.009895.
  std::vector<long long> values(81, 7);
  values.insert(values.end(), 20, 27);
  const Spread spread = SpreadOf(values);
  EXPECT_EQ(spread.count, 101U);
  EXPECT_EQ(spread.min, 7);
  EXPECT_EQ(spread.max, 27);
  EXPECT_NEAR(spread.mean, 10.960396, 1e-6);
  EXPECT_NEAR(spread.deviation, 8.009895, 1e-6);
}

TEST(SpreadOf, OfNothingIsZeroAndOfOneHasNoDeviation) {
  EXPECT_EQ(SpreadOf({}).count, 0U);
  const std::vector<long long> one = {42};
  EXPECT_EQ(SpreadOf(one).mean, 42);
  EXPECT_EQ(SpreadOf(one).deviation, 0);
}

TEST(SpreadOf, KeepsSmallDifferencesOfLargeValues) {
  const long long far = 1LL << 60;
  const std::vector<long long> values = {far, far + 2};
  EXPECT_NEAR(SpreadOf(values).deviation, 1.4142135, 1e-6);
}

TEST(Percentile, IsTheNearestRank) {
  const auto values = UpTo(100);
  EXPECT_EQ(Percentile(values, 25), 25);
  EXPECT_EQ(Percentile(values, 99), 99);
  EXPECT_EQ(Percentile(values, 100), 100);
  EXPECT_EQ(Percentile(UpTo(101), 50), 51);
  EXPECT_EQ(Percentile(UpTo(3), 50), 2);
}

TEST(Percentile, StaysInside) {
  EXPECT_EQ(Percentile(UpTo(1), 99), 1);
  EXPECT_EQ(Percentile(UpTo(1), 0), 1);
  EXPECT_EQ(Percentile({}, 50), 0);
}

TEST(CountsAboveMean, AreCumulative) {
  // 27 lies (27 - 10.96) / 8.01 = 2.0025 deviations above the mean.
  std::vector<long long> values(81, 7);
  values.insert(values.end(), 20, 27);
  EXPECT_THAT(CountsAboveMean(values, SpreadOf(values)),
              ElementsAre(20, 20, 0, 0, 0, 0, 0, 0, 0, 0));
}

TEST(CountsAboveMean, AreZeroWhereAllIsTheSame) {
  const std::vector<long long> values(5, 3);
  EXPECT_THAT(CountsAboveMean(values, SpreadOf(values)), testing::Each(0U));
}

TEST(Histogram, DividesTheWholeNumbersFromTheLeastToTheLargest) {
  const std::vector<long long> values = {0, 9, 10, 89, 90, 99};
  const Histogram histogram = HistogramOf(values, SpreadOf(values), 10);
  EXPECT_THAT(histogram.counts, ElementsAre(2, 1, 0, 0, 0, 0, 0, 0, 1, 2));
  EXPECT_EQ(histogram.FullestOfOthers(), 2U);
}

TEST(Histogram, RoundsTheWidthOfItsLabelsDown) {
  const std::vector<long long> values = {1, 52};
  const Histogram histogram = HistogramOf(values, SpreadOf(values), 10);
  EXPECT_EQ(histogram.Begin(0), 1);
  EXPECT_EQ(histogram.Begin(5), 26);
  EXPECT_EQ(histogram.Begin(9), 46);
}

TEST(Histogram, TellsTheLeastValueOfAPart) {
  const std::vector<long long> values = {18, 20, 500, 816, 837, 838};
  const Histogram histogram = HistogramOf(values, SpreadOf(values), 400);
  for (const long long value : values) {
    std::size_t part = 0;
    while (part + 1 < 400 && histogram.Least(part + 1) <= value) ++part;
    EXPECT_NE(histogram.counts[part], 0U) << value;
  }
  EXPECT_EQ(histogram.Least(399), 837);
}

// papi_cost of papi-tools 7.0 divides by zero here.
TEST(Histogram, TakesValuesThatAreAllTheSame) {
  const std::vector<long long> values(7, 42);
  const Histogram histogram = HistogramOf(values, SpreadOf(values), 3);
  EXPECT_THAT(histogram.counts, ElementsAre(7, 0, 0));
  EXPECT_EQ(histogram.Begin(2), 42);
}

// papi_cost of papi-tools 7.0 multiplies ints here.
TEST(Histogram, TakesTheWholeRange) {
  const std::vector<long long> values = {0, LLONG_MAX / 2 + 1, LLONG_MAX};
  const Histogram histogram = HistogramOf(values, SpreadOf(values), 100);
  EXPECT_EQ(histogram.counts[0], 1U);
  EXPECT_EQ(histogram.counts[50], 1U);
  EXPECT_EQ(histogram.counts[99], 1U);
}

TEST(Histogram, OfOnePartHoldsAll) {
  const auto values = UpTo(9);
  const Histogram histogram = HistogramOf(values, SpreadOf(values), 1);
  EXPECT_THAT(histogram.counts, ElementsAre(9));
  EXPECT_EQ(histogram.FullestOfOthers(), 0U);
}

}  // namespace
}  // namespace csink::utils
