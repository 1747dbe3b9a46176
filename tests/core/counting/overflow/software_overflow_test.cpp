#include <gtest/gtest.h>
#include <signal.h>
#include <sys/time.h>

#include <thread>

#include "tests/core/counting/overflow/overflow_rig.h"

namespace csink {
namespace {

using testing::BurnFor;
using testing::FreshPages;
using testing::OverflowRig;
using testing::PlainCounterSet;

constexpr std::uint64_t kMs = 1'000'000;
constexpr auto kSoftware = OverflowMode::kForcedSoftware;

/// In the handler: told is what the count says, but for what it has grown since.
void ExpectAllTold(OverflowRig& rig, const OverflowHit&) {
  const auto due = static_cast<std::uint64_t>(rig.FirstCount()) / rig.armings[0].threshold;
  EXPECT_LE(rig.Told(0), due);
  EXPECT_GE(rig.Told(0) + 1, due);
}

/// A thread's ticks are rare where other programs want the processor, too: a second of its time at
/// most.
template <class Condition>
void BurnUntil(Condition condition) {
  for (int i = 0; i < 50 && !condition(); ++i) BurnFor(20 * kMs);
}

TEST(SoftwareOverflow, CountsEachMultipleOnceAtATick) {
  OverflowRig rig({{PlainCounterSet::kTaskClock, kMs}}, kSoftware);
  ASSERT_TRUE(rig.ok()) << rig.error.what;
  EXPECT_STREQ(rig.overflow.source(), "timer");
  EXPECT_EQ(rig.requests[0].sampling.delivery, SamplingRequest::Delivery::kNone);
  rig.extra = ExpectAllTold;
  rig.Start();
  BurnFor(200 * kMs);
  BurnUntil([&] { return rig.hits[0] >= 3; });
  const auto due = static_cast<std::uint64_t>(rig.Stop()[0]) / kMs;
  EXPECT_LE(rig.Told(0), due);
  EXPECT_GE(rig.hits[0], 3u);
  EXPECT_GT(rig.missed[0], rig.hits[0]) << "a tick is four milliseconds, or one, or ten";
}

TEST(SoftwareOverflow, CallsOnceForEachEvent) {
  OverflowRig rig({{PlainCounterSet::kTaskClock, 7 * kMs}, {PlainCounterSet::kPageFaults, 10}},
                  kSoftware);
  ASSERT_TRUE(rig.ok()) << rig.error.what;
  FreshPages pages(100);
  rig.Start();
  pages.Touch(0, 100);
  BurnUntil([&] { return rig.Told(0) >= 1; });
  rig.Stop();
  EXPECT_GE(rig.Told(0), 1u);
  EXPECT_GE(rig.Told(1), 10u);
  EXPECT_LE(rig.hits[1], 2u) << "a hundred faults between two ticks are one call";
  EXPECT_EQ(rig.odd_vectors, 0u);
}

TEST(SoftwareOverflow, TakesADerivedValue) {
  std::vector<CounterRequest> requests{{PlainCounterSet::kTaskClock, {}},
                                       {PlainCounterSet::kCpuClock, {}}};
  const long long divisor = 2;
  OverflowArming sum{0, 3, kMs};
  sum.formula = &divisor;
  sum.value = [](const void* formula, const long long* counts) noexcept {
    return (counts[0] + counts[1]) / *static_cast<const long long*>(formula);
  };
  std::uint64_t told = 0;
  SetOverflow overflow;
  PlainCounterSet set;
  const auto count = [](void* owner, const OverflowHit& hit) noexcept {
    if (hit.vector == 3) *static_cast<std::uint64_t*>(owner) += 1 + hit.missed;
  };
  ASSERT_TRUE(overflow.Prepare(requests, {&sum, 1}, kSoftware, count, &told));
  ASSERT_TRUE(set.Configure(requests, {}));
  ASSERT_TRUE(overflow.Arm(set));
  ASSERT_TRUE(set.Start());
  BurnFor(100 * kMs);
  ASSERT_TRUE(set.Stop());
  overflow.Disarm();
  long long counts[2];
  ASSERT_TRUE(set.Read(counts));
  const auto due = static_cast<std::uint64_t>(sum.value(&divisor, counts)) / kMs;
  EXPECT_GE(told, due / 4) << "ticks are rare on a busy machine";
  EXPECT_LE(told, due);
}

TEST(SoftwareOverflow, DeadlinesBeginAnewWhenTheCountsDo) {
  OverflowRig rig({{PlainCounterSet::kTaskClock, 50 * kMs}}, kSoftware);
  ASSERT_TRUE(rig.ok()) << rig.error.what;
  rig.Start();
  // Never reaches the threshold between two resets.
  for (int i = 0; i < 6; ++i) {
    BurnFor(20 * kMs);
    ASSERT_TRUE(rig.set.Reset());
    rig.overflow.CountsSet(nullptr);
  }
  EXPECT_EQ(rig.Told(0), 0u);
  BurnUntil([&] { return rig.Told(0) >= 1; });
  rig.Stop();
  EXPECT_GE(rig.Told(0), 1u);
}

TEST(SoftwareOverflow, HandlerMayResetAndStopItsSet) {
  OverflowRig rig({{PlainCounterSet::kTaskClock, kMs}}, kSoftware);
  ASSERT_TRUE(rig.ok()) << rig.error.what;
  rig.extra = [](OverflowRig& r, const OverflowHit&) {
    EXPECT_TRUE(r.set.Reset());
    r.overflow.CountsSet(nullptr);
    if (r.hits[0] < 3) return;
    EXPECT_TRUE(r.set.Stop());
    r.overflow.Disarm();
  };
  rig.Start();
  BurnUntil([&] { return !rig.overflow.armed(); });
  EXPECT_FALSE(rig.overflow.armed());
  BurnFor(50 * kMs);
  EXPECT_EQ(rig.hits[0], 3u);
}

TEST(SoftwareOverflow, EachThreadTicksOnItsOwnClock) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([] {
      OverflowRig rig({{PlainCounterSet::kTaskClock, kMs}}, kSoftware);
      ASSERT_TRUE(rig.ok()) << rig.error.what;
      rig.extra = ExpectAllTold;
      rig.Start();
      BurnUntil([&] { return rig.hits[0] >= 1; });
      rig.Stop();
      EXPECT_GE(rig.hits[0], 1u);
    });
  }
  for (auto& thread : threads) thread.join();
}

TEST(SoftwareOverflow, LeavesTheProfilingTimerOfTheProcessAlone) {
  OverflowRig rig({{PlainCounterSet::kTaskClock, kMs}}, kSoftware);
  rig.Start();
  itimerval now = {};
  getitimer(ITIMER_PROF, &now);
  EXPECT_EQ(now.it_value.tv_sec + now.it_value.tv_usec + now.it_interval.tv_usec, 0);
  struct sigaction prof = {};
  sigaction(SIGPROF, nullptr, &prof);
  EXPECT_EQ(prof.sa_handler, SIG_DFL);
  rig.Stop();
}

}  // namespace
}  // namespace csink
