#include "core/machine/clocks.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace csink {
namespace {

TEST(ParseMonotonicShift, ReadsTheLineOfTheClock) {
  EXPECT_EQ(ParseMonotonicShift("monotonic           5000         0\nboottime   7  0\n"),
            5'000'000'000'000);
  EXPECT_EQ(ParseMonotonicShift("boottime 7 0\nmonotonic -3 200000000\n"), -2'800'000'000);
  EXPECT_EQ(ParseMonotonicShift("monotonic 0 0\n"), 0);
}

TEST(ParseMonotonicShift, IsZeroForOtherText) {
  for (const char* text : {"", "\n", "monotonic", "monotonic ", "monotonic 5", "monotonic 5 x\n",
                           "monotonic 5 -1\n", "monotonic -- 0\n", "monotonic 5 1000000000\n",
                           "monotonic 99999999999 0\n", "boottime 5 0\n", "monotonics 5 0\n"}) {
    EXPECT_EQ(ParseMonotonicShift(text), 0) << text;
  }
}

TEST(MonotonicNs, GoesOnAfterItsShiftIsLearned) {
  const std::uint64_t before = MonotonicNs();
  LearnTimeNamespace();
  // The test itself may run in a namespace, in which the machine's clock is another one.
  const std::uint64_t after = MonotonicNs();
  LearnTimeNamespace();
  EXPECT_LE(after, MonotonicNs());
  EXPECT_NE(before, 0u);
}

}  // namespace
}  // namespace csink
