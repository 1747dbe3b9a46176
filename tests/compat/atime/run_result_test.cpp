#include "compat/atime/run_result.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace csink::atime {
namespace {

RunResult RunWith(std::vector<double> values) {
  RunResult run;
  for (std::size_t i = 0; i < values.size(); ++i) {
    run.metrics.push_back({"c", "event" + std::to_string(i), "t", "u", "acc", values[i]});
  }
  return run;
}

TEST(Repeated, GivesMeanAndStudentsInterval) {
  const auto metrics =
      Repeated({RunWith({1}), RunWith({2}), RunWith({3}), RunWith({4}), RunWith({5})});
  ASSERT_EQ(metrics.size(), 1u);
  EXPECT_EQ(metrics[0].runs, 5u);
  EXPECT_DOUBLE_EQ(metrics[0].metric.value, 3);
  // 2.7764 (4 degrees of freedom) * sqrt(2.5 / 5)
  EXPECT_NEAR(metrics[0].high, 3 + 1.96324, 1e-4);
  EXPECT_NEAR(metrics[0].low, 3 - 1.96324, 1e-4);
  EXPECT_DOUBLE_EQ(metrics[0].minimum, 1);
  EXPECT_DOUBLE_EQ(metrics[0].maximum, 5);
  EXPECT_NEAR(metrics[0].deviation, std::sqrt(2.5), 1e-12);
}

TEST(Repeated, OneRunHasNoInterval) {
  const auto metrics = Repeated({RunWith({7})});
  EXPECT_DOUBLE_EQ(metrics[0].metric.value, 7);
  EXPECT_TRUE(std::isinf(metrics[0].high));
}

TEST(Repeated, ARunWithoutAMetricDoesNotShiftTheOthers) {
  RunResult without = RunWith({1, 2, 3});
  without.metrics.erase(without.metrics.begin() + 1);
  const auto metrics = Repeated({RunWith({1, 2, 3}), without, RunWith({1, 2, 3})});
  ASSERT_EQ(metrics.size(), 3u);
  EXPECT_EQ(metrics[1].runs, 2u);
  EXPECT_EQ(metrics[2].runs, 3u);
  EXPECT_DOUBLE_EQ(metrics[2].metric.value, 3);
}

TEST(Repeated, LeavesOutWhatIsNoNumber) {
  const double infinity = std::numeric_limits<double>::infinity();
  const auto metrics = Repeated({RunWith({NAN}), RunWith({infinity}), RunWith({4})});
  ASSERT_EQ(metrics.size(), 1u);
  EXPECT_EQ(metrics[0].runs, 1u);
  EXPECT_DOUBLE_EQ(metrics[0].metric.value, 4);
  EXPECT_TRUE(Repeated({}).empty());
}

}  // namespace
}  // namespace csink::atime
