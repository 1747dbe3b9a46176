#include "profil/inside/collector/time_line.h"

#include <gtest/gtest.h>
#include <time.h>

#include <memory>
#include <numeric>

#include "core/util/thread_id.h"
#include "profil/format/slices.h"
#include "tests/fakes/fake_kernel.h"
#include "tests/profil/spool_bytes.h"

namespace csink {
namespace {

using spool::PlaceSlicesRecord;
using spool::SegmentKind;
using spool::ThreadSlicesRecord;
using testing::FakeKernel;
using testing::SpoolBytes;
using testing::TemporaryFolder;

constexpr std::uint64_t kStart = 50'000'000'000;
constexpr std::uint64_t kMs = 1'000'000;

ThreadRegistry g_registry;

class TimeLineTest : public ::testing::Test {
 protected:
  void SetUp() override {
    spool::Header header = {};
    header.event_count = 1;
    header.start_monotonic_ns = kStart;
    ASSERT_TRUE(spool_->Create(folder_.path(), "test", header));
    spool_->Add(spool::ThreadRecord{});
  }
  void TearDown() override { g_registry.ResetAfterFork(); }

  /// A live slot of a thread with a record in the spool.
  ThreadSlot& Slot(pid_t tid) {
    ThreadSlot& slot = *g_registry.Claim();
    slot.tid = tid;
    slot.spool_thread = spool_->Add(spool::ThreadRecord{});
    slot.state = SlotState::kLive;
    return slot;
  }
  std::vector<ThreadSlicesRecord> Rows() {
    return SpoolBytes(spool_->path()).Records<ThreadSlicesRecord>(SegmentKind::kThreadSlices);
  }
  std::vector<PlaceSlicesRecord> Places() {
    return SpoolBytes(spool_->path()).Records<PlaceSlicesRecord>(SegmentKind::kPlaceSlices);
  }
  static TimeLine::Times Ran(std::uint64_t run_ms, std::uint64_t wait_ms) {
    return {run_ms * kMs, wait_ms * kMs, true};
  }

  TemporaryFolder folder_;
  FakeKernel kernel_;
  std::unique_ptr<SpoolWriter> spool_ = std::make_unique<SpoolWriter>();
  TimeLine line_{kernel_, g_registry, *spool_};
};

TEST_F(TimeLineTest, HasNoRowsInTheFirstSecond) {
  const std::uint64_t before = spool_->file_bytes();
  EXPECT_TRUE(line_.Begin(kStart + 100 * kMs));
  const std::size_t row = line_.AddRow(1, kStart, {});
  line_.Look(row, kStart + 200 * kMs, Ran(100, 0), 90);
  EXPECT_EQ(spool_->file_bytes(), before);
  EXPECT_TRUE(Rows().empty());
  EXPECT_EQ(spool_->header().slices_start_ns, kStart);
}

TEST_F(TimeLineTest, RemembersTheFirstSecondForTheRows) {
  line_.Begin(kStart + 100 * kMs);
  const std::size_t row = line_.AddRow(1, kStart, {});
  line_.Look(row, kStart + 200 * kMs, Ran(150, 50), 150);
  line_.Look(row, kStart + 600 * kMs, Ran(150, 50), 150);
  line_.Begin(kStart + 1000 * kMs);
  line_.Look(row, kStart + 1000 * kMs, Ran(350, 50), 350);
  const auto rows = Rows();
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].thread, 1u);
  EXPECT_EQ(rows[0].start_ns, kStart);
  EXPECT_EQ(rows[0].end_ns, kStart + 1000 * kMs);
  EXPECT_EQ(rows[0].slices[0].run_us, 75'000u);
  EXPECT_EQ(rows[0].slices[1].wait_us, 25'000u);
  EXPECT_EQ(rows[0].slices[1].samples, 75u);
  EXPECT_EQ(rows[0].slices[2].run_us, 0u);
  EXPECT_EQ(rows[0].slices[2].blocked_us, 100'000u);
  EXPECT_EQ(rows[0].slices[6].run_us, 50'000u);
  EXPECT_EQ(rows[0].slices[6].blocked_us, 50'000u);
  EXPECT_EQ(rows[0].slices[10].run_us, 0u);
}

TEST_F(TimeLineTest, AddsUpToTheWallTimeAlthoughTheKernelIsLate) {
  line_.Begin(kStart + 2000 * kMs);
  const std::size_t row = line_.AddRow(1, kStart + 2000 * kMs, {});
  // The kernel has not yet added the last 4 ms of the first stretch; it does so in the second.
  line_.Look(row, kStart + 2100 * kMs, Ran(96, 0), 96);
  line_.Look(row, kStart + 2200 * kMs, Ran(200, 0), 200);
  line_.Look(row, kStart + 2300 * kMs, Ran(210, 0), 210);
  const auto rows = Rows();
  ASSERT_EQ(rows.size(), 1u);
  std::uint64_t run = 0;
  std::uint64_t blocked = 0;
  for (const auto& slice : rows[0].slices) {
    run += slice.run_us;
    blocked += slice.blocked_us;
  }
  EXPECT_EQ(run, 210'000u);
  EXPECT_EQ(blocked, 90'000u);
}

TEST_F(TimeLineTest, SaysThatWaitingIsUnknown) {
  line_.Begin(kStart + 2000 * kMs);
  const std::size_t row = line_.AddRow(1, kStart, {});
  line_.Look(row, kStart + 2000 * kMs, {500 * kMs, 0, false}, 500);
  ASSERT_EQ(Rows().size(), 1u);
  EXPECT_EQ(Rows()[0].flags, spool::kSlicesNoWait);
}

TEST_F(TimeLineTest, ShortThreadsTakeNoRowsAndAreInTheSum) {
  line_.Begin(kStart + 2000 * kMs);
  ThreadSlot& slot = Slot(4242);
  slot.samples = 12;
  constexpr std::uint64_t kNow = kStart + 2100 * kMs;
  slot.times.begin_ns = kNow - TimeLine::kLeastThreadLifeNs + 1;
  line_.Sweep(kNow);
  EXPECT_FALSE(line_.HasRow(slot));
  line_.Drained(slot, 5 * kMs, 12, false);
  EXPECT_TRUE(Rows().empty()) << "it may still get a row";
  slot.drained_cpu_ns = 5 * kMs;
  line_.Drained(slot, 8 * kMs, 0, true);
  slot.state = SlotState::kEnded;
  line_.Sweep(kNow + 100 * kMs);
  const auto rows = Rows();
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].thread, spool::kMergedThread);
  std::uint64_t run = 0;
  std::uint64_t samples = 0;
  for (const auto& slice : rows[0].slices) {
    run += slice.run_us;
    samples += slice.samples;
  }
  EXPECT_EQ(run, 8'000u);
  EXPECT_EQ(samples, 12u);
}

TEST_F(TimeLineTest, FurtherThreadsAreOneSum) {
  line_.Begin(kStart + 2000 * kMs);
  for (std::uint32_t i = 0; i < TimeLine::kRows; ++i) {
    const std::size_t row = line_.AddRow(i + 1, kStart, {});
    ASSERT_EQ(row, i);
    line_.Look(row, kStart + 2000 * kMs, Ran(10, 0), 10);
  }
  EXPECT_EQ(line_.AddRow(1000, kStart, {}), TimeLine::kRows);
  ThreadSlot& slot = Slot(4242);
  line_.Drained(slot, 30 * kMs, 7, false);
  slot.drained_cpu_ns = 30 * kMs;
  line_.Drained(slot, 50 * kMs, 5, true);
  line_.Sweep(kStart + 2100 * kMs);
  const auto rows = Rows();
  ASSERT_EQ(rows.size(), TimeLine::kRows + 1);
  EXPECT_EQ(rows.back().thread, spool::kMergedThread);
  EXPECT_EQ(rows.back().flags, spool::kSlicesRunOnly);
  std::uint64_t run = 0;
  std::uint64_t samples = 0;
  for (const auto& slice : rows.back().slices) {
    run += slice.run_us;
    samples += slice.samples;
  }
  EXPECT_EQ(run, 50'000u);
  EXPECT_EQ(samples, 12u);
  // kRows rows and the sum, 16 KB each, and the pages of an empty spool: further threads
  // add nothing.
  EXPECT_LE(spool_->file_bytes(), (1100u << 10) + 64 * 1024);
}

TEST_F(TimeLineTest, AFrozenSpoolSaysWhatFoundNoRoom) {
  line_.Begin(kStart + 2000 * kMs);
  spool_->Freeze();
  const std::size_t row = line_.AddRow(1, kStart, {});
  line_.Look(row, kStart + 2000 * kMs, Ran(500, 100), 500);
  EXPECT_TRUE(Rows().empty());
  EXPECT_EQ(spool_->header().unsliced_ns, 2000 * kMs);
}

TEST_F(TimeLineTest, ASweepReadsTheNumbersOfARealThread) {
  ThreadSlot& slot = Slot(AskTid());
  // Without schedstat the clock of the fake stands in, so that the row exists on every kernel.
  kernel_.SetThreadCpu(AskTid(), 1'500 * static_cast<long>(kMs));
  slot.is_main = true;
  slot.samples = 20;
  line_.Sweep(kStart + 2000 * kMs);
  ASSERT_TRUE(line_.HasRow(slot));
  slot.samples = 25;
  line_.Sweep(kStart + 2020 * kMs);  // not due
  ASSERT_EQ(Rows().size(), 1u);
  EXPECT_EQ(Rows()[0].end_ns, kStart + 2000 * kMs);
  line_.Sweep(kStart + 2040 * kMs, TimeLine::Which::kAll);
  EXPECT_EQ(Rows()[0].end_ns, kStart + 2040 * kMs);
  const auto rows = Rows();
  std::uint64_t samples = 0;
  for (const auto& slice : rows[0].slices) samples += slice.samples;
  EXPECT_EQ(samples, 25u);
}

TEST_F(TimeLineTest, ASlotOfAnotherThreadHasNoRow) {
  ThreadSlot& slot = Slot(AskTid());
  kernel_.SetThreadCpu(AskTid(), static_cast<long>(kMs));
  line_.Sweep(kStart + 2000 * kMs);
  ASSERT_TRUE(line_.HasRow(slot));
  slot.spool_thread = spool_->Add(spool::ThreadRecord{});
  EXPECT_FALSE(line_.HasRow(slot));
  line_.Clear();
  EXPECT_FALSE(line_.HasRow(slot));
}

TEST_F(TimeLineTest, CountsPlacesFromTheirFourthSample) {
  line_.Sweep(kStart + 2000 * kMs);
  for (int i = 0; i < 3; ++i) line_.CountPlace(0, 0x1000);
  EXPECT_TRUE(Places().empty());
  line_.BeginDrain(kStart + 2100 * kMs);
  for (int i = 0; i < 5; ++i) line_.CountPlace(0, 0x1000);
  ASSERT_EQ(Places().size(), 1u);
  EXPECT_EQ(Places()[0].pc, 0x1000u);
  EXPECT_EQ(Places()[0].samples, 5u);
  EXPECT_EQ(Places()[0].slices[2'050 / 400], 5u);
}

TEST_F(TimeLineTest, SpreadsThePlacesOfTheFirstSecond) {
  line_.Sweep(kStart + 100 * kMs);
  for (int i = 0; i < 100; ++i) line_.CountPlace(0, 0x1000);
  EXPECT_TRUE(Places().empty());
  line_.Sweep(kStart + 1000 * kMs);
  ASSERT_EQ(Places().size(), 1u);
  EXPECT_EQ(Places()[0].samples, 100u);
  EXPECT_EQ(Places()[0].slices[0], 40u);
  EXPECT_EQ(Places()[0].slices[1], 40u);
  EXPECT_EQ(Places()[0].slices[2], 20u);
}

TEST_F(TimeLineTest, AHotterPlaceTakesTheRowOfTheColdest) {
  line_.Sweep(kStart + 2000 * kMs);
  const auto sample = [&](std::uint64_t pc, int times) {
    for (int i = 0; i < times; ++i) line_.CountPlace(0, pc);
  };
  for (std::uint64_t i = 0; i < spool::kMaxPlaceSliceRows; ++i) sample(0x1000 + 16 * i, 50);
  ASSERT_EQ(Places().size(), spool::kMaxPlaceSliceRows);
  sample(0x9000, 60);  // less than the lead of 16
  const auto has = [&](std::uint64_t pc) {
    std::size_t rows = 0;
    for (const auto& place : Places()) rows += place.pc == pc;
    return rows;
  };
  EXPECT_EQ(has(0x9000), 0u);
  sample(0x9000, 10);
  EXPECT_EQ(has(0x9000), 1u);
  EXPECT_EQ(Places().size(), spool::kMaxPlaceSliceRows);
  for (const auto& place : Places()) {
    EXPECT_EQ(std::accumulate(std::begin(place.slices), std::end(place.slices), std::uint64_t{0}),
              place.samples);
  }
}

TEST_F(TimeLineTest, NeedsAStartTime) {
  spool_->header().start_monotonic_ns = 0;
  EXPECT_FALSE(line_.Begin(kStart));
  line_.CountPlace(0, 0x1000);
  EXPECT_EQ(spool_->header().slices_start_ns, 0u);
}

}  // namespace
}  // namespace csink
