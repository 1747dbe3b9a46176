#include "profil/inside/collector/pending_samples.h"

#include <gtest/gtest.h>

#include <memory>

namespace csink {
namespace {

class PendingSamplesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    slot_->tid = 77;
    slot_->start_routine = reinterpret_cast<void (*)()>(0x4000);
    std::memcpy(slot_->name, "worker", 7);
  }
  void Add(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) pending_.Add(*slot_, 0, 0x1000 + i, 1, false);
  }

  std::unique_ptr<ThreadSlot> slot_ = std::make_unique<ThreadSlot>();
  PendingSamples pending_;
};

TEST_F(PendingSamplesTest, KeepWhatTheThreadWasWhenTheSampleWasTaken) {
  pending_.Add(*slot_, 1, 0x10, 1000, true);
  slot_->tid = 78;
  slot_->start_routine = nullptr;
  std::memcpy(slot_->name, "other", 6);
  ASSERT_EQ(pending_.size(), 1u);
  const PendingSample& sample = pending_[0];
  EXPECT_EQ(sample.pc, 0x10u);
  EXPECT_EQ(sample.weight, 1000u);
  EXPECT_EQ(sample.event, 1u);
  EXPECT_TRUE(sample.has_stack);
  EXPECT_EQ(sample.tid, 77);
  EXPECT_EQ(sample.start_routine, 0x4000u);
  EXPECT_STREQ(sample.name, "worker");
}

TEST_F(PendingSamplesTest, AreIteratedInTheirOrder) {
  Add(3);
  std::uint64_t expected = 0x1000;
  for (const PendingSample& sample : pending_) EXPECT_EQ(sample.pc, expected++);
  EXPECT_EQ(expected, 0x1003u);
}

TEST_F(PendingSamplesTest, ReachTheThresholdAtItsNumber) {
  Add(PendingSamples::kThreshold - 1);
  EXPECT_FALSE(pending_.reached_threshold());
  Add(1);
  EXPECT_TRUE(pending_.reached_threshold());
}

TEST_F(PendingSamplesTest, AreFullAtTheirRoomAndEmptyAfterClear) {
  EXPECT_TRUE(pending_.empty());
  Add(PendingSamples::kMax - 1);
  EXPECT_FALSE(pending_.full());
  Add(1);
  EXPECT_TRUE(pending_.full());
  pending_.Clear();
  EXPECT_TRUE(pending_.empty());
  EXPECT_FALSE(pending_.full());
}

}  // namespace
}  // namespace csink
