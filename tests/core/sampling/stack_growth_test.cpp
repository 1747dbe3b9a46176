#include <gtest/gtest.h>

#include <memory>

#include "core/sampling/ring_source.h"
#include "tests/fakes/fake_kernel.h"
#include "tests/fakes/recording_sink.h"

namespace csink {
namespace {

using testing::FakeKernel;
using testing::RecordingSink;

class RingSourceGrowStack : public ::testing::Test {
 protected:
  void Arm(EventClass kind, std::uint32_t stack_bytes) {
    EventList list;
    EventSpec& spec = list.events[list.count++];
    spec.kind = kind;
    spec.type = kind == EventClass::kClock ? PERF_TYPE_SOFTWARE : PERF_TYPE_HARDWARE;
    spec.period = 1'000'003;
    source_.Configure(list);
    source_.set_stack_bytes(stack_bytes);
    ASSERT_TRUE(source_.Arm(*slot_, 5));
  }
  std::uint32_t Asked() { return kernel_.opens().back().attr.sample_stack_user; }
  bool Grow() { return source_.GrowStack(*slot_, sink_); }

  FakeKernel kernel_;
  RingSource source_{kernel_};
  RecordingSink sink_;
  std::unique_ptr<ThreadSlot> slot_ = std::make_unique<ThreadSlot>();
};

TEST_F(RingSourceGrowStack, GrowsTwice) {
  Arm(EventClass::kClock, kLongStackBytes);
  EXPECT_EQ(Asked(), kLongStackBytes);
  const std::size_t records = slot_->rings[0].data_bytes() / source_.record_bytes();
  ASSERT_TRUE(Grow());
  EXPECT_EQ(Asked(), kLongerStackBytes);
  EXPECT_EQ(kernel_.mapped_rings(), 1u) << "the old ring is given back";
  EXPECT_EQ(kernel_.open_descriptors(), 0u);
  EXPECT_GE(slot_->rings[0].data_bytes() / (kLongerStackBytes + 384), records)
      << "the interval between drains is reckoned with the usual records";
  ASSERT_TRUE(Grow());
  EXPECT_EQ(Asked(), kLongestStackBytes);
  EXPECT_FALSE(Grow());
  source_.Disarm(*slot_);
  EXPECT_EQ(kernel_.mapped_rings(), 0u);
}

TEST_F(RingSourceGrowStack, AThreadBeginsWithTheUsualCopy) {
  Arm(EventClass::kClock, kLongStackBytes);
  ASSERT_TRUE(Grow());
  source_.Disarm(*slot_);
  ASSERT_TRUE(source_.Arm(*slot_, 6));
  EXPECT_EQ(Asked(), kLongStackBytes);
  source_.Disarm(*slot_);
}

TEST_F(RingSourceGrowStack, LeavesShortCopiesAsTheyAre) {
  Arm(EventClass::kClock, kShortStackBytes);
  EXPECT_FALSE(Grow());
  EXPECT_EQ(kernel_.opens().size(), 1u);
  source_.Disarm(*slot_);
}

TEST_F(RingSourceGrowStack, KeepsTheRingWhereLockedMemoryIsShort) {
  Arm(EventClass::kClock, kLongStackBytes);
  const std::size_t before = slot_->rings[0].data_bytes();
  kernel_.SetMlockLimit(before + 4096);
  EXPECT_FALSE(Grow());
  EXPECT_EQ(slot_->rings[0].data_bytes(), before);
  EXPECT_EQ(kernel_.mapped_rings(), 1u);
  EXPECT_EQ(kernel_.open_descriptors(), 0u);
  source_.Disarm(*slot_);
}

TEST_F(RingSourceGrowStack, KeepsTheRingsOfManyThreads) {
  Arm(EventClass::kClock, kLongStackBytes);
  source_.set_threads(17);
  EXPECT_FALSE(Grow());
  source_.Disarm(*slot_);
}

TEST_F(RingSourceGrowStack, ClosesAHardwareEventFirstAndOpensItAgainWhereRefused) {
  Arm(EventClass::kCycles, kLongStackBytes);
  kernel_.RefuseOpens(ENOSPC);
  EXPECT_FALSE(Grow());
  EXPECT_EQ(Asked(), kLongStackBytes);
  EXPECT_TRUE(slot_->rings[0].mapped());
  ASSERT_TRUE(Grow());
  EXPECT_EQ(Asked(), kLongerStackBytes);
  EXPECT_EQ(kernel_.mapped_rings(), 1u);
  source_.Disarm(*slot_);
}

}  // namespace
}  // namespace csink
