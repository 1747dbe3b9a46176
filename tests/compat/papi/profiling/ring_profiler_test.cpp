#include "compat/papi/profiling/ring_profiler.h"

#include <gtest/gtest.h>

#include <thread>

#include "tests/fakes/fake_kernel.h"

namespace csink {
namespace {

constexpr std::uintptr_t kText = 0x400000;

class RingProfilerTest : public ::testing::Test {
 protected:
  std::shared_ptr<CallerHistogram> Histogram(std::vector<std::uint32_t>& buckets) {
    const HistogramRegion region = {buckets.data(), buckets.size() * 4, kText, 0x20000};
    auto made = CallerHistogram::Make({&region, 1}, {.width = BucketWidth::k32});
    EXPECT_TRUE(made);
    return std::move(*made);
  }
  int OpenEvent() {
    perf_event_attr attr = {};
    return static_cast<int>(kernel_.PerfEventOpen(&attr, 0));
  }

  testing::FakeKernel kernel_;
  RingProfiler profiler_{kernel_};
};

TEST_F(RingProfilerTest, GivesEachRingsSamplesToItsHistogram) {
  std::vector<std::uint32_t> first(8), second(8);
  ASSERT_TRUE(profiler_.Map(OpenEvent(), kProfileRingBytes, Histogram(first), false));
  ASSERT_TRUE(profiler_.Map(OpenEvent(), kProfileRingBytes, Histogram(second), false));
  kernel_.ring(0).Sample(kText + 1);
  kernel_.ring(0).Sample(kText + 1);
  kernel_.ring(1).Sample(kText + 5);
  profiler_.Drain();
  EXPECT_EQ(first[1], 2u);
  EXPECT_EQ(second[5], 1u);
}

TEST_F(RingProfilerTest, TakesTheDataAddressWhereAsked) {
  std::vector<std::uint32_t> buckets(8);
  ASSERT_TRUE(profiler_.Map(OpenEvent(), kProfileRingBytes, Histogram(buckets), true));
  kernel_.ring(0).Sample(kText + 1, /*address:*/ kText + 6);
  profiler_.Drain();
  EXPECT_EQ(buckets[6], 1u);
  EXPECT_EQ(buckets[1], 0u);
}

TEST_F(RingProfilerTest, UnmapTakesWhatIsLeftAndGivesEverythingBack) {
  std::vector<std::uint32_t> buckets(8);
  ASSERT_TRUE(profiler_.Map(OpenEvent(), kProfileRingBytes, Histogram(buckets), false));
  kernel_.ring(0).Sample(kText + 3);
  profiler_.Unmap();
  EXPECT_EQ(buckets[3], 1u);
  EXPECT_EQ(kernel_.mapped_rings(), 0u);
}

TEST_F(RingProfilerTest, ShrinksToTheBudgetOfLockedMemory) {
  std::vector<std::uint32_t> buckets(8);
  kernel_.SetMlockLimit(3 * PageBytes());
  ASSERT_TRUE(profiler_.Map(OpenEvent(), kProfileRingBytes, Histogram(buckets), false));
  EXPECT_EQ(kernel_.map_sizes().back(), 3 * PageBytes());
  kernel_.SetMlockLimit(PageBytes());
  const auto refused = profiler_.Map(OpenEvent(), kProfileRingBytes, Histogram(buckets), false);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::kLimit);
  EXPECT_EQ(kernel_.mapped_rings(), 1u);
}

TEST_F(RingProfilerTest, CountsWhatTheKernelDroppedAndThrottled) {
  std::vector<std::uint32_t> buckets(8);
  ASSERT_TRUE(profiler_.Map(OpenEvent(), kProfileRingBytes, Histogram(buckets), false));
  kernel_.ring(0).Lost(17);
  kernel_.ring(0).Throttle();
  profiler_.Drain();
  EXPECT_EQ(profiler_.losses().lost, 17u);
  EXPECT_EQ(profiler_.losses().throttled, 1u);
}

TEST_F(RingProfilerTest, AForkedChildForgetsItsParentsRings) {
  std::vector<std::uint32_t> buckets(8);
  ASSERT_TRUE(profiler_.Map(OpenEvent(), kProfileRingBytes, Histogram(buckets), false));
  kernel_.ring(0).Sample(kText);
  profiler_.ForgetAfterFork();
  profiler_.Drain();
  EXPECT_EQ(buckets[0], 0u);
  EXPECT_EQ(kernel_.mapped_rings(), 1u);  // nothing was unmapped
}

TEST_F(RingProfilerTest, ThreadsMayDrainAtOnce) {
  std::vector<std::uint32_t> buckets(8);
  ASSERT_TRUE(profiler_.Map(OpenEvent(), kProfileRingBytes, Histogram(buckets), false));
  for (int round = 0; round < 200; ++round) {
    for (int i = 0; i < 10; ++i) kernel_.ring(0).Sample(kText);
    std::thread other([&] { profiler_.Drain(); });
    profiler_.Drain();
    other.join();
  }
  EXPECT_EQ(buckets[0], 2000u);
}

}  // namespace
}  // namespace csink
