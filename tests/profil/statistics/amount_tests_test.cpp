#include "profil/statistics/amount_tests.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

/// File: one comparison whose numbers were computed from the formulas in another language, and the
/// limits. How often changes are found: tests/symbolizer/report/compare/compare_scatter_test.cpp.

namespace csink {
namespace {

using Counts = std::vector<std::vector<double>>;

/// Runs and rows of counts of samples.
struct Groups {
  std::vector<SampledRun> a;
  std::vector<SampledRun> b;
  std::vector<RowShares> rows;

  Groups(const Counts& counts_a, const std::vector<double>& amounts_a, const Counts& counts_b,
         const std::vector<double>& amounts_b)
      : rows(counts_a[0].size()) {
    Add(counts_a, amounts_a, a, &RowShares::a);
    Add(counts_b, amounts_b, b, &RowShares::b);
  }
  std::vector<AmountChange> Compare() const { return CompareAmounts(a, b, rows); }

 private:
  void Add(const Counts& counts, const std::vector<double>& amounts, std::vector<SampledRun>& runs,
           std::vector<double> RowShares::*shares) {
    for (std::size_t i = 0; i < counts.size(); ++i) {
      const double all = std::accumulate(counts[i].begin(), counts[i].end(), 0.0);
      runs.push_back({all, amounts[i]});
      for (std::size_t g = 0; g < rows.size(); ++g) {
        (rows[g].*shares).push_back(all > 0 ? counts[i][g] / all : 0);
      }
    }
  }
};

/// The last run of b was sampled with twice the period. The second row takes 1.4 times as long.
Groups Example() {
  return {
      {{400, 200, 160, 120, 80, 40}, {420, 190, 150, 125, 78, 37}, {390, 210, 170, 118, 84, 28}},
      {1.0, 1.02, 0.98},
      {{405, 280, 158, 121, 83, 33}, {395, 300, 140, 126, 77, 42}, {200, 140, 82, 61, 40, 17}},
      {1.08, 1.10, 1.05}};
}

TEST(CompareAmounts, IsTheModeratedTest) {
  const auto rows = Example().Compare();
  ASSERT_EQ(rows.size(), 6u);
  constexpr double kP[] = {0.853951, 1.46863e-6, 0.409805, 0.763499, 0.935491, 0.719265};
  constexpr double kErrors[] = {0.03451, 0.04635, 0.05808, 0.06474, 0.07852, 0.14202};
  for (std::size_t g = 0; g < 6; ++g) {
    EXPECT_TRUE(rows[g].enough);
    EXPECT_NEAR(rows[g].p_value, kP[g], 2e-6) << g;
    EXPECT_NEAR(rows[g].error, kErrors[g], 1e-5) << g;
    EXPECT_EQ(rows[g].sampling_part, 1) << g;  // No more scatter than sampling explains
  }
  EXPECT_NEAR(rows[1].p_value, 1.46863e-6, 1e-10);
  EXPECT_NEAR(rows[1].amount_b / rows[1].amount_a, 1.44263, 1e-5);
  EXPECT_NEAR(rows[1].amount_a, 0.19995, 1e-5);
  EXPECT_NEAR(rows[1].ratio.low, 1.30619, 1e-5);
  EXPECT_NEAR(rows[1].ratio.high, 1.59332, 1e-5);
  EXPECT_NEAR(rows[5].ratio.low, 0.77817, 1e-5);
  EXPECT_NEAR(rows[5].ratio.high, 1.42584, 1e-5);
  // Twice the p-value of Welch's test, which is larger than Holm's 6 * 1.5e-6.
  EXPECT_NEAR(rows[1].adjusted_p_value, 0.0156045, 1e-6);
  EXPECT_EQ(rows[0].adjusted_p_value, 1);
}

TEST(CompareAmounts, ARowThatDiffersMuchMoreIsJudgedByItsOwnRuns) {
  // The first row differs by 40 % from run to run, far more than sampling explains.
  const Groups groups = {{{600, 200, 200, 200}, {300, 205, 195, 200}, {450, 195, 205, 200}},
                         {1.2, 0.9, 1.05},
                         {{900, 200, 200, 200}, {500, 205, 195, 200}, {700, 195, 205, 200}},
                         {1.5, 1.1, 1.3}};
  const auto rows = groups.Compare();
  EXPECT_LT(rows[0].sampling_part, 0.1);
  EXPECT_GT(rows[0].adjusted_p_value, 0.05);
  EXPECT_GT(FindableChange(rows[0]), 1);
  // The others are not.
  EXPECT_LT(FindableChange(rows[1]), 0.5);
}

TEST(CompareAmounts, OfOneRunEachIsSamplingErrorAlone) {
  const Groups groups = {{{400, 600}}, {1.0}, {{500, 600}}, {1.1}};
  const auto rows = groups.Compare();
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_NEAR(rows[0].amount_b / rows[0].amount_a, 1.25, 1e-9);
  EXPECT_LT(rows[0].p_value, 0.05);
  EXPECT_EQ(rows[0].adjusted_p_value, 1);
  EXPECT_EQ(FindableChange(rows[0]), 0);
  EXPECT_GT(rows[0].ratio.low, 1);
  EXPECT_NEAR(rows[1].amount_b / rows[1].amount_a, 1, 1e-9);
}

TEST(CompareAmounts, ARowOfOneGroupHasABoundAlone) {
  const Counts with = {{900, 100, 2}, {905, 95, 2}, {895, 105, 2}};
  const Counts without = {{900, 0, 0}, {905, 0, 0}, {895, 0, 0}};
  const auto added = Groups(without, {1, 1, 1}, with, {1.1, 1.1, 1.1}).Compare();
  EXPECT_LT(added[1].adjusted_p_value, 0.05);
  EXPECT_EQ(added[1].amount_a, 0);
  EXPECT_TRUE(std::isinf(added[1].ratio.high));
  EXPECT_FALSE(added[2].enough);
  const auto gone = Groups(with, {1.1, 1.1, 1.1}, without, {1, 1, 1}).Compare();
  EXPECT_LT(gone[1].adjusted_p_value, 0.05);
  EXPECT_EQ(gone[1].amount_b, 0);
  EXPECT_EQ(gone[1].ratio.low, 0);
  // Poisson's: fewer than 4 of 300.
  EXPECT_LT(gone[1].ratio.high, 0.03);
  EXPECT_GT(gone[1].ratio.high, 0.003);
}

TEST(CompareAmounts, MoreSamplesOrRunsFindSmallerChanges) {
  const auto row = Example().Compare()[0];
  EXPECT_NEAR(FindableChange(row), 0.2, 0.03);
  EXPECT_LT(FindableChange(row, 5), FindableChange(row));
  // What is found is found by as many runs.
  EXPECT_NEAR(RunsToFind(row, FindableChange(row)), 1, 1e-9);
  EXPECT_NEAR(RunsToFind(row, std::expm1(std::log1p(FindableChange(row)) / 2)), 4, 1e-9);
}

TEST(CompareAmounts, BadInputIsNoChange) {
  EXPECT_TRUE(CompareAmounts({}, {}, {}).empty());
  const std::vector<SampledRun> none(3);
  const auto rows = CompareAmounts(none, none, {{{0, 0, 0}, {0, 0, 0}}});
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_FALSE(rows[0].enough);
  EXPECT_EQ(rows[0].amount_a, 0);
  const auto missing = CompareAmounts({}, none, {{{}, {0, 0, 0}}});
  EXPECT_FALSE(missing[0].enough);
}

}  // namespace
}  // namespace csink
