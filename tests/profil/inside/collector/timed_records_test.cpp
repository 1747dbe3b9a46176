#include "profil/inside/collector/timed_records.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "tests/fakes/sandbox.h"
#include "tests/profil/spool_bytes.h"

namespace csink {
namespace {

using spool::MomentKind;
using spool::SegmentKind;
using spool::SwitchKind;
using testing::SpoolBytes;
using testing::TemporaryFolder;

class TimedRecordsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    spool::Header header = {};
    header.event_count = 1;
    ASSERT_TRUE(spool_->Create(folder_.path(), "test", header));
    slot_->tid = 7;
    timed_.Start(true);
  }
  template <class T>
  std::vector<T> Records(SegmentKind kind) {
    return SpoolBytes(spool_->path()).Records<T>(kind);
  }
  ThreadSlot& slot() { return *slot_; }

  TemporaryFolder folder_;
  std::unique_ptr<SpoolWriter> spool_ = std::make_unique<SpoolWriter>();
  std::unique_ptr<ThreadSlot> slot_ = std::make_unique<ThreadSlot>();
  TimedRecords timed_{*spool_};
};

TEST_F(TimedRecordsTest, TakesEachSwitchOnceWhereTwoEventsRecordIt) {
  timed_.AddSwitch(slot(), 100, Switch::kIn);
  timed_.AddSwitch(slot(), 101, Switch::kIn);
  timed_.AddSwitch(slot(), 200, Switch::kOutBlocked);
  timed_.AddSwitch(slot(), 201, Switch::kOutPreempted);
  timed_.AddSwitch(slot(), 300, Switch::kIn);
  const auto all = Records<spool::SwitchRecord>(SegmentKind::kSwitches);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].time_ns, 100u);
  EXPECT_EQ(all[0].thread, 7u);
  EXPECT_EQ(all[1].kind, SwitchKind::kOutBlocked);
  EXPECT_EQ(all[2].kind, SwitchKind::kIn);
}

TEST_F(TimedRecordsTest, MarksTheStretchInWhichTheKernelLostRecords) {
  timed_.LostUntil(slot(), 50);  // nothing is known before
  timed_.AddSwitch(slot(), 100, Switch::kIn);
  timed_.LostUntil(slot(), 400);
  // The switch out between them is lost.
  timed_.AddSwitch(slot(), 500, Switch::kIn);
  const auto all = Records<spool::SwitchRecord>(SegmentKind::kSwitches);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[1].kind, SwitchKind::kLost);
  EXPECT_EQ(all[1].time_ns, 100u);
  EXPECT_EQ(all[2].time_ns, 500u);
  timed_.Store(spool_->header());
  EXPECT_EQ(spool_->header().timed.lost_stretches, 1u);
  EXPECT_EQ(spool_->header().timed.lost_ns, 300u);
}

TEST_F(TimedRecordsTest, AddsTheBeginOfAThreadOnceAndItsEnd) {
  slot().created_ns = 10;
  slot().timed.start_ns = 20;
  slot().timed.handle = 0xabc;
  slot().timed.creator = 3;
  timed_.AddBegin(slot());
  timed_.AddBegin(slot());
  timed_.AddEnd(slot(), 90);
  const auto all = Records<spool::MomentRecord>(SegmentKind::kMoments);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].kind, MomentKind::kThreadCreated);
  EXPECT_EQ(all[0].thread, 3u);
  EXPECT_EQ(all[0].value, 7u);
  EXPECT_EQ(all[0].object, 0xabcu);
  EXPECT_EQ(all[1].kind, MomentKind::kThreadStart);
  EXPECT_EQ(all[1].thread, 7u);
  EXPECT_EQ(all[2].kind, MomentKind::kThreadEnd);
  EXPECT_EQ(all[2].end_ns, 90u);
}

TEST_F(TimedRecordsTest, KeepsTheFirstRecordsAndCountsThoseBeyondTheLimit) {
  constexpr std::uint64_t kMost = 1 << 20;
  TimedRecords timed(*spool_, kMost);
  timed.Start(true);
  const std::vector<spool::MomentRecord> many(1000, {1, 2, 3, 4, 5, MomentKind::kSleep, 0});
  std::size_t added = 0;
  for (; added < 40'000; added += many.size()) timed.AddMoments(many.data(), many.size());
  timed.AddSwitch(slot(), 100, Switch::kIn);
  timed.AddSample({1, 2, 0, 0, 7, 0});
  timed.Store(spool_->header());
  const spool::TimedCounts& counts = spool_->header().timed;
  const SpoolBytes bytes(spool_->path());
  const auto all = bytes.Records<spool::MomentRecord>(SegmentKind::kMoments);
  EXPECT_EQ(all.size() + counts.moments_left_out, added);
  EXPECT_GE(all.size() * sizeof(spool::MomentRecord), kMost);
  EXPECT_LT(all.size() * sizeof(spool::MomentRecord), kMost + 40'000);
  EXPECT_EQ(counts.switches_left_out, 1u);
  EXPECT_EQ(counts.samples_left_out, 1u);
  EXPECT_NE(counts.full_monotonic_ns, 0u);
  // 64, 128, 256, 512 and 1,024 KiB
  EXPECT_LE(bytes.Segments(SegmentKind::kMoments), 5u);
  timed.Clear();
  timed.Store(spool_->header());
  EXPECT_EQ(counts.moments_left_out, 0u);
}

TEST_F(TimedRecordsTest, StopsForGoodWhereTheSpoolCannotGrow) {
  spool_->Freeze();
  timed_.AddPoint(MomentKind::kFork, 1, 2, 3, 4);
  spool_->Unfreeze();
  timed_.AddPoint(MomentKind::kFork, 1, 2, 3, 4);
  timed_.Store(spool_->header());
  EXPECT_EQ(spool_->header().timed.moments_left_out, 2u);
}

}  // namespace
}  // namespace csink
