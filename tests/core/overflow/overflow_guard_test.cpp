#include "core/overflow/overflow_guard.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/core/overflow/overflow_rig.h"

namespace csink {
namespace {

constexpr std::uint64_t kMs = 1'000'000;

/// So many calls with this CPU time between them; the factor afterwards.
std::uint64_t After(OverflowGuard& guard, std::uint64_t calls, std::uint64_t apart_ns, bool busy,
                    std::uint64_t& now_ns) {
  for (std::uint64_t i = 0; i < calls; ++i) {
    now_ns += apart_ns;
    if (guard.Count(busy)) guard.LookAt(now_ns);
  }
  return guard.factor();
}

TEST(OverflowGuard, LeavesWhatThePrograms20kHzAndBurstsAre) {
  OverflowGuard guard;
  std::uint64_t now = 0;
  EXPECT_EQ(After(guard, 100'000, 50'000, false, now), 1u);
  EXPECT_EQ(After(guard, 5'000, 1'000, false, now), 1u) << "5 ms at a million a second";
  EXPECT_EQ(After(guard, 100'000, 50'000, false, now), 1u);
}

TEST(OverflowGuard, ThinsWhatComesTooCloseUntilItDoesNot) {
  OverflowGuard guard;
  std::uint64_t now = 0;
  EXPECT_EQ(After(guard, 30'000, 10'000, false, now), 2u);
  EXPECT_EQ(After(guard, 30'000, 20'000, false, now), 8u);
  EXPECT_EQ(After(guard, 30'000, 40'000, false, now), 8u);
  EXPECT_GT(guard.rate(), 20'000u);
}

TEST(OverflowGuard, ThinsWhenTheHandlerNeverCatchesUp) {
  OverflowGuard guard;
  std::uint64_t now = 0;
  EXPECT_GE(After(guard, 2'000, 1 * kMs, true, now), 4u);
}

TEST(OverflowGuard, RelaxesWhenThereIsRoom) {
  OverflowGuard guard;
  std::uint64_t now = 0;
  EXPECT_EQ(After(guard, 30'000, 10'000, false, now), 2u);
  EXPECT_EQ(After(guard, 2'000, 1 * kMs, false, now), 1u);
}

TEST(OverflowGuard, LosesNothingAtTwentyMicroseconds) {
  // Ten us of a timer that the kernel does not make shorter.
  testing::OverflowRig rig({{testing::PlainCounterSet::kTaskClock, 20'000}});
  ASSERT_TRUE(rig.ok()) << rig.error.what;
  rig.Start();
  testing::BurnFor(800 * kMs);
  const auto count = rig.Stop()[0];
  const auto due = static_cast<double>(count) / 20'000;
  // A machine that keeps up thins nothing.
  if (rig.overflow.totals().thinning > 1) {
    EXPECT_GT(rig.missed[0], 0u);
  }
  // Timers of a slow machine come later than that, without a word from the kernel: the count tells.
  EXPECT_GT(static_cast<double>(rig.Told(0)), 0.9 * due);
  EXPECT_LT(static_cast<double>(rig.Told(0)), 1.02 * due);
}

TEST(OverflowGuard, CountsWhatAClockPassesWithoutASignal) {
  // A clock's shortest period is ten microseconds: the kernel tells of every second multiple.
  testing::OverflowRig rig({{testing::PlainCounterSet::kTaskClock, 5'000}});
  ASSERT_TRUE(rig.ok()) << rig.error.what;
  rig.Start();
  testing::BurnFor(400 * kMs);
  const auto count = rig.Stop()[0];
  const auto due = static_cast<double>(count) / 5'000;
  EXPECT_GE(rig.missed[0], rig.hits[0]);
  EXPECT_GT(static_cast<double>(rig.Told(0)), 0.9 * due);
  EXPECT_LT(static_cast<double>(rig.Told(0)), 1.02 * due);
}

}  // namespace
}  // namespace csink
