#include "profil/statistics/chi_squared.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace csink {
namespace {

TEST(ChiSquared, MatchesTheTables) {
  EXPECT_NEAR(ChiSquaredTail(3.841459, 1), 0.05, 1e-7);
  EXPECT_NEAR(ChiSquaredTail(10, 4), 0.0404277, 1e-7);
  EXPECT_NEAR(ChiSquaredTail(1, 8), 0.9982484, 1e-7);
  EXPECT_NEAR(ChiSquaredTail(50, 18), 7.54826e-5, 1e-9);
  EXPECT_NEAR(ChiSquaredTail(1e4, 1e4), 0.4981, 1e-3);
}

TEST(ChiSquared, MedianMatchesTheTables) {
  EXPECT_NEAR(ChiSquaredMedian(1), 0.454936, 1e-6);
  EXPECT_NEAR(ChiSquaredMedian(4), 3.356694, 1e-6);
  EXPECT_NEAR(ChiSquaredMedian(8), 7.344121, 1e-6);
  EXPECT_NEAR(ChiSquaredMedian(18), 17.337902, 1e-6);
}

TEST(ChiSquared, WithoutAValueNothingIsUnusual) {
  EXPECT_EQ(ChiSquaredTail(0, 4), 1);
  EXPECT_EQ(ChiSquaredTail(std::nan(""), 4), 1);
  EXPECT_EQ(ChiSquaredTail(1, 0), 1);
  EXPECT_EQ(ChiSquaredTail(std::numeric_limits<double>::infinity(), 4), 0);
  EXPECT_EQ(ChiSquaredMedian(0), 0);
}

}  // namespace
}  // namespace csink
