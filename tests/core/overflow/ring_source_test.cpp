#include "core/overflow/ring_source.h"

#include <errno.h>
#include <gtest/gtest.h>

#include <memory>

#include "tests/fakes/fake_kernel.h"
#include "tests/fakes/recording_sink.h"

namespace csink {
namespace {

using testing::FakeKernel;
using testing::RecordingSink;

EventSpec Event(std::uint64_t period, std::uint64_t frequency_hz = 0) {
  EventSpec spec;
  spec.type = PERF_TYPE_SOFTWARE;
  spec.config = PERF_COUNT_SW_TASK_CLOCK;
  spec.period = period;
  spec.frequency_hz = frequency_hz;
  return spec;
}

class RingSourceTest : public ::testing::Test {
 protected:
  void Configure(std::initializer_list<EventSpec> specs) {
    EventList list;
    for (const EventSpec& spec : specs) list.events[list.count++] = spec;
    source_.Configure(list);
  }
  ThreadSlot& slot() { return *slot_; }

  FakeKernel kernel_;
  RingSource source_{kernel_};
  std::unique_ptr<ThreadSlot> slot_ = std::make_unique<ThreadSlot>();
};

using RingSourceArm = RingSourceTest;
using RingSourceDrain = RingSourceTest;

TEST_F(RingSourceArm, OpensOneRingAnEventAndKeepsNoDescriptor) {
  Configure({Event(1'000'003), Event(1), Event(0, 1000)});
  ASSERT_TRUE(source_.Arm(slot(), 77));
  EXPECT_EQ(slot().ring_count, 3);
  EXPECT_EQ(kernel_.mapped_rings(), 3u);
  EXPECT_EQ(kernel_.open_descriptors(), 0u);
  for (const auto& open : kernel_.opens()) EXPECT_EQ(open.tid, 77);
  source_.Disarm(slot());
  EXPECT_EQ(kernel_.mapped_rings(), 0u);
  EXPECT_EQ(slot().ring_count, 0);
}

TEST_F(RingSourceArm, AsksForMappingRecordsInTheFirstRingOnly) {
  Configure({Event(1'000'003), Event(1)});
  ASSERT_TRUE(source_.Arm(slot(), 1));
  EXPECT_EQ(kernel_.opens()[0].attr.mmap2, 1u);
  EXPECT_EQ(kernel_.opens()[1].attr.mmap2, 0u);
  EXPECT_EQ(kernel_.opens()[1].attr.mmap, 0u);
  source_.Disarm(slot());
}

TEST_F(RingSourceArm, ShrinksTheRingToOnePageWhenTheLockedMemoryIsSpent) {
  Configure({Event(1'000'003)});
  slot().is_main = true;
  kernel_.SetMlockLimit(2 * PageBytes());
  ASSERT_TRUE(source_.Arm(slot(), 1));
  EXPECT_EQ(slot().rings[0].data_bytes(), PageBytes());
  EXPECT_EQ(kernel_.opens().size(), 1u) << "one event, however many tries at its ring";
  EXPECT_EQ(kernel_.open_descriptors(), 0u);
  source_.Disarm(slot());
}

TEST_F(RingSourceArm, StopsShrinkingAtTheFirstRingThatFits) {
  Configure({Event(1'000'003)});
  slot().is_main = true;
  kernel_.SetMlockLimit(32 * 1024 + PageBytes());
  ASSERT_TRUE(source_.Arm(slot(), 1));
  EXPECT_EQ(slot().rings[0].data_bytes(), 32u * 1024);
  source_.Disarm(slot());
}

TEST_F(RingSourceArm, ClosesTheDescriptorWhenNotEvenAPageCanBeHad) {
  Configure({Event(1'000'003)});
  kernel_.SetMlockLimit(PageBytes());
  const Result<void> armed = source_.Arm(slot(), 1);
  ASSERT_FALSE(armed);
  EXPECT_EQ(armed.error().sys_errno, EPERM);
  EXPECT_EQ(armed.error().code, Errc::kLimit) << "the event itself was granted";
  EXPECT_EQ(kernel_.open_descriptors(), 0u);
  EXPECT_EQ(slot().ring_count, 0);
}

TEST_F(RingSourceArm, DoesNotShrinkOnOtherFailures) {
  Configure({Event(1'000'003)});
  slot().is_main = true;
  kernel_.RefuseMaps(EACCES);
  ASSERT_FALSE(source_.Arm(slot(), 1));
  EXPECT_EQ(kernel_.map_sizes().size(), 1u);
  EXPECT_EQ(kernel_.open_descriptors(), 0u);
}

TEST_F(RingSourceArm, UnwindsEveryEventWhenALaterOneIsRefused) {
  Configure({Event(1'000'003), Event(1), Event(2)});
  kernel_.AllowOpen();
  kernel_.AllowOpen();
  kernel_.RefuseOpens(EMFILE);
  const Result<void> armed = source_.Arm(slot(), 1);
  ASSERT_FALSE(armed);
  EXPECT_EQ(armed.error().code, Errc::kLimit);
  EXPECT_EQ(source_.failed_event(), 2u);
  EXPECT_EQ(kernel_.mapped_rings(), 0u);
  EXPECT_EQ(kernel_.open_descriptors(), 0u);
  EXPECT_EQ(slot().ring_count, 0);
  for (const RingBuffer& ring : slot().rings) EXPECT_FALSE(ring.mapped());
}

TEST_F(RingSourceArm, UnwindsEveryEventWhenALaterRingIsRefused) {
  Configure({Event(1'000'003), Event(1)});
  kernel_.AllowMap();
  kernel_.RefuseMaps(EPERM, 10);
  ASSERT_FALSE(source_.Arm(slot(), 1));
  EXPECT_EQ(source_.failed_event(), 1u);
  EXPECT_EQ(kernel_.mapped_rings(), 0u);
  EXPECT_EQ(kernel_.open_descriptors(), 0u);
}

TEST_F(RingSourceArm, CanArmTheSameSlotAfterAFailure) {
  Configure({Event(1'000'003)});
  kernel_.RefuseOpens(EBUSY);
  EXPECT_EQ(source_.Arm(slot(), 1).error().code, Errc::kConflict);
  ASSERT_TRUE(source_.Arm(slot(), 1));
  source_.Disarm(slot());
}

TEST(RingSourceRingBytes, GivesMainTheLargestRingAndCrowdsTheSmallest) {
  const std::size_t page = PageBytes();
  EXPECT_EQ(RingSource::RingBytes(true, 1), std::max<std::size_t>(64 * 1024, page));
  EXPECT_EQ(RingSource::RingBytes(true, 1000), std::max<std::size_t>(64 * 1024, page));
  EXPECT_EQ(RingSource::RingBytes(false, 2), std::max<std::size_t>(16 * 1024, page));
  EXPECT_EQ(RingSource::RingBytes(false, 64), std::max<std::size_t>(16 * 1024, page));
  EXPECT_EQ(RingSource::RingBytes(false, 65), std::max<std::size_t>(8 * 1024, page));
}

TEST_F(RingSourceDrain, WeighsSamplesByThePeriodAskedFor) {
  Configure({Event(1'000'003), Event(500)});
  ASSERT_TRUE(source_.Arm(slot(), 1));
  kernel_.ring(0).Sample(0x10);
  kernel_.ring(1).Sample(0x20);
  RecordingSink sink;
  source_.Drain(slot(), sink);
  EXPECT_EQ(sink.samples,
            (std::vector<RecordingSink::Sample>{{0, 0x10, 1'000'003}, {1, 0x20, 500}}));
  source_.Disarm(slot());
}

TEST_F(RingSourceDrain, WeighsSamplesByThePeriodInTheRecordInFrequencyMode) {
  Configure({Event(0, 4000)});
  ASSERT_TRUE(source_.Arm(slot(), 1));
  kernel_.ring(0).Sample(0x10, 123);
  kernel_.ring(0).Sample(0x11, 456);
  RecordingSink sink;
  source_.Drain(slot(), sink);
  EXPECT_EQ(sink.samples, (std::vector<RecordingSink::Sample>{{0, 0x10, 123}, {0, 0x11, 456}}));
  source_.Disarm(slot());
}

TEST_F(RingSourceDrain, TellsSamplesFromWhateverElseIsInTheRing) {
  Configure({Event(1'000'003)});
  ASSERT_TRUE(source_.Arm(slot(), 1));
  testing::FakeRing& ring = kernel_.ring(0);
  ring.Mmap2({0x1000, 0x1000, 0, "/lib/a.so"});
  ring.Fork();
  ring.Sample(0x10);
  ring.Throttle();
  ring.Lost(17);
  ring.Mmap2({0x2000, 0x1000, 0, "/lib/b.so"}, "0123456789abcdefghij");
  ring.Mmap({0x3000, 0x1000, 0, "/lib/c.so"});
  RecordingSink sink;
  source_.Drain(slot(), sink);
  EXPECT_EQ(sink.samples.size(), 1u);
  EXPECT_EQ(sink.lost, 17u);
  EXPECT_EQ(sink.throttled, 1u);
  EXPECT_EQ(sink.mappings,
            (std::vector<std::uint32_t>{PERF_RECORD_MMAP2, PERF_RECORD_MMAP2, PERF_RECORD_MMAP}));
  source_.Disarm(slot());
}

TEST_F(RingSourceDrain, TakesNothingFromASlotWithoutRings) {
  Configure({Event(1'000'003)});
  RecordingSink sink;
  source_.Drain(slot(), sink);
  source_.Disarm(slot());
  EXPECT_TRUE(sink.samples.empty());
}

}  // namespace
}  // namespace csink
