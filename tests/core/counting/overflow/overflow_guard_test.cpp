#include "core/counting/overflow/overflow_guard.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/core/counting/overflow/overflow_rig.h"

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

/// A task-clock with this threshold, for so much CPU time: all multiples are reported or counted as
/// missed, whatever the machine's timers do.
void ExpectAllTold(testing::OverflowRig& rig, std::uint64_t threshold, std::uint64_t cpu_ns) {
  ASSERT_TRUE(rig.ok()) << rig.error.what;
  rig.Start();
  testing::BurnFor(cpu_ns);
  const auto due = static_cast<double>(rig.Stop()[0]) / static_cast<double>(threshold);
  EXPECT_GT(static_cast<double>(rig.Told(0)), 0.9 * due);
  EXPECT_LT(static_cast<double>(rig.Told(0)), 1.02 * due);
}

TEST(OverflowGuard, LosesNothingAtTwentyMicroseconds) {
  testing::OverflowRig rig({{testing::PlainCounterSet::kTaskClock, 20'000}});
  ExpectAllTold(rig, 20'000, 800 * kMs);
  // A machine that keeps up thins nothing.
  if (rig.overflow.totals().thinning > 1) {
    EXPECT_GT(rig.missed[0], 0u);
  }
}

TEST(OverflowGuard, CountsWhatAClockPassesWithoutASignal) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the thread sanitizer needs longer for a signal than the period";
#endif
  // A clock's shortest period is ten microseconds: the kernel tells of every second multiple.
  testing::OverflowRig rig({{testing::PlainCounterSet::kTaskClock, 5'000}});
  ExpectAllTold(rig, 5'000, 400 * kMs);
  EXPECT_GE(rig.missed[0], rig.hits[0]);
}

}  // namespace
}  // namespace csink
