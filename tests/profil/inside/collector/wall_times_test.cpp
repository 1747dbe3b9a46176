#include "profil/inside/collector/wall_times.h"

#include <errno.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <memory>

#include "core/machine/clocks.h"
#include "tests/fakes/fake_kernel.h"

namespace csink {
namespace {

constexpr std::uint64_t kMs = 1'000'000;
constexpr std::uint64_t kBegin = 1'000 * kMs;
constexpr pid_t kTid = 77;

class WallTimes : public ::testing::Test {
 protected:
  WallTimes() { slot_->tid = kTid; }
  /// A thread whose creator a hook saw.
  void BeginNew() {
    slot_->times.begin_ns = kBegin;
    BeginWallTimes(kernel_, *slot_, 20'000, kBegin + 50'000);
  }
  WallLook Look(std::uint64_t wall_ns, std::uint64_t cpu_ns, bool may_read = true) {
    return LookAtWallTimes(kernel_, *slot_, cpu_ns, kBegin + wall_ns, may_read);
  }

  testing::FakeKernel kernel_;
  std::unique_ptr<ThreadSlot> slot_ = std::make_unique<ThreadSlot>();
  SlotTimes& times_ = slot_->times;
};

TEST_F(WallTimes, OfANewThreadBeginWithItsCreatorAndWithoutAReading) {
  BeginNew();
  EXPECT_EQ(times_.begin_ns, kBegin);
  EXPECT_EQ(times_.before.run_ns, 0u);
  EXPECT_FALSE(times_.unreadable);
  EXPECT_EQ(kernel_.schedule_reads(), 0u);
}

TEST_F(WallTimes, OfAnAdoptedThreadLeaveOutWhatWasBefore) {
  kernel_.SetSchedule(kTid, {.run_ns = 39 * kMs, .wait_ns = 7 * kMs, .turns = 4});
  BeginWallTimes(kernel_, *slot_, 40 * kMs, kBegin);
  kernel_.SetSchedule(kTid, {.run_ns = 49 * kMs, .wait_ns = 10 * kMs, .turns = 6});
  EXPECT_EQ(Look(100 * kMs, 50 * kMs), WallLook::kRead);
  EXPECT_EQ(times_.run_ns, 10 * kMs) << "by the CPU clock, which is newer";
  EXPECT_EQ(times_.wait_ns, 3 * kMs);
  EXPECT_EQ(times_.turns, 2u);
  EXPECT_EQ(times_.undivided_ns, 0u);
}

TEST_F(WallTimes, OfAShortThreadAreNotRead) {
  BeginNew();
  EXPECT_EQ(Look(kShortestLifeNs - 1, 100'000), WallLook::kNoReading);
  EXPECT_EQ(times_.undivided_ns, kShortestLifeNs - 1 - 100'000);
  EXPECT_EQ(kernel_.schedule_reads(), 0u);
}

TEST_F(WallTimes, AreNotReadWhereTheClockLeavesLittleToDivide) {
  BeginNew();
  EXPECT_EQ(Look(50 * kMs, 50 * kMs - kLeastUndividedNs + 1), WallLook::kNoReading);
  EXPECT_EQ(times_.undivided_ns, kLeastUndividedNs - 1);
  kernel_.SetSchedule(kTid, {.run_ns = 0, .wait_ns = 200'000, .turns = 2});
  EXPECT_EQ(Look(51 * kMs, 51 * kMs - kLeastUndividedNs), WallLook::kRead);
  EXPECT_EQ(times_.undivided_ns, 0u);
  EXPECT_EQ(times_.wait_ns, 200'000u);
}

TEST_F(WallTimes, OfAThreadThatDidNotRunGrowByBlockedTimeAlone) {
  BeginNew();
  kernel_.SetSchedule(kTid, {.run_ns = 5 * kMs, .wait_ns = kMs, .turns = 1});
  EXPECT_EQ(Look(10 * kMs, 5 * kMs), WallLook::kRead);
  EXPECT_EQ(Look(500 * kMs, 5 * kMs), WallLook::kNoReading);
  EXPECT_EQ(kernel_.schedule_reads(), 1u);
  EXPECT_EQ(times_.end_ns, kBegin + 500 * kMs);
  EXPECT_EQ(times_.wait_ns, kMs);
  EXPECT_EQ(times_.undivided_ns, 0u);
}

TEST_F(WallTimes, StayThoseOfTheLookBeforeWhereNoReadingIsAllowed) {
  BeginNew();
  kernel_.SetSchedule(kTid, {.run_ns = 5 * kMs, .wait_ns = kMs, .turns = 1});
  Look(10 * kMs, 5 * kMs);
  EXPECT_EQ(Look(900 * kMs, 300 * kMs, false), WallLook::kNotUpToDate);
  EXPECT_EQ(times_.end_ns, kBegin + 10 * kMs);
  EXPECT_EQ(times_.run_ns, 5 * kMs);
}

TEST_F(WallTimes, AreNotDividedWhereNothingCanBeRead) {
  kernel_.RefuseSchedule(ENODATA);
  BeginWallTimes(kernel_, *slot_, 0, kBegin);
  EXPECT_EQ(Look(100 * kMs, 30 * kMs), WallLook::kNoReading);
  EXPECT_EQ(times_.undivided_ns, 70 * kMs);
  EXPECT_EQ(times_.error, ENODATA);
  WallSums sums;
  sums.Add(times_);
  spool::WallTotals wall{};
  sums.Store(wall);
  EXPECT_EQ(wall.read_errno, static_cast<std::uint32_t>(ENODATA));
  EXPECT_EQ(wall.undivided_ns, 70 * kMs);
}

TEST_F(WallTimes, AreReadAgainAfterAFailure) {
  BeginNew();
  kernel_.RefuseSchedule(EMFILE);
  EXPECT_EQ(Look(10 * kMs, kMs), WallLook::kRead);
  EXPECT_EQ(times_.undivided_ns, 9 * kMs);
  kernel_.RefuseSchedule(0);
  kernel_.SetSchedule(kTid, {.run_ns = kMs, .wait_ns = 4 * kMs, .turns = 1});
  EXPECT_EQ(Look(20 * kMs, 2 * kMs), WallLook::kRead);
  EXPECT_EQ(times_.error, 0);
  EXPECT_EQ(times_.wait_ns, 4 * kMs);
  EXPECT_EQ(times_.undivided_ns, 0u);
}

TEST_F(WallTimes, NeverExceedTheLife) {
  BeginNew();
  kernel_.SetSchedule(kTid, {.run_ns = 0, .wait_ns = 90 * kMs, .turns = 1});
  Look(10 * kMs, 3 * kMs);
  EXPECT_EQ(times_.wait_ns, 7 * kMs);
  Look(11 * kMs, 20 * kMs);
  EXPECT_EQ(times_.run_ns, 11 * kMs);
  EXPECT_EQ(times_.wait_ns, 0u);
}

TEST_F(WallTimes, AreAddedUpAndStored) {
  BeginNew();
  kernel_.SetSchedule(kTid, {.run_ns = 0, .wait_ns = 2 * kMs, .turns = 9});
  Look(10 * kMs, 3 * kMs);
  WallSums sums;
  sums.Add(times_);
  sums.Add(times_);
  sums.Add(SlotTimes{});  // No look at it yet
  EXPECT_EQ(sums.threads, 2u);
  spool::ThreadRecord merged{};
  sums.Store(merged);
  EXPECT_EQ(merged.start_monotonic_ns, 0u);
  EXPECT_EQ(merged.end_monotonic_ns, 20 * kMs);
  EXPECT_EQ(merged.wait_ns, 4 * kMs);
  EXPECT_EQ(merged.turns, 18u);
  spool::ThreadRecord own{};
  StoreWallTimes(times_, own);
  EXPECT_EQ(own.end_monotonic_ns - own.start_monotonic_ns, 10 * kMs);
  EXPECT_EQ(own.run_ns, 3 * kMs);
}

TEST(AllowedProcessors, AreThoseOfTheMainThread) {
  const std::uint32_t allowed = AllowedProcessors();
  EXPECT_GE(allowed, 1u);
  EXPECT_LE(static_cast<long>(allowed), sysconf(_SC_NPROCESSORS_CONF));
}

TEST_F(WallTimes, OfAThreadThatHasEndedAreItsOwnReadings) {
  BeginNew();
  slot_->created_ns = 1;  // long ago
  kernel_.SetThreadCpu(kTid, 3 * kMs);
  kernel_.SetSchedule(kTid, {3 * kMs, 40 * kMs, 7});
  ReadAtEnd(kernel_, *slot_);
  EXPECT_EQ(slot_->end.cpu_ns, 3 * kMs);
  EXPECT_EQ(kernel_.schedule_reads(), 1u);
  slot_->state = SlotState::kEnded;
  kernel_.SetSchedule(kTid, {1, 1, 1});  // another thread with this number
  EXPECT_EQ(Look(100 * kMs, slot_->end.cpu_ns), WallLook::kRead);
  EXPECT_EQ(times_.wait_ns, 40 * kMs);
  EXPECT_EQ(times_.turns, 7u);
  EXPECT_EQ(kernel_.schedule_reads(), 1u);
}

TEST_F(WallTimes, OfAThreadThatNeverGaveItsProcessorBackNeedNoReading) {
  BeginNew();
  slot_->created_ns = MonotonicNs() - 50 * kMs;
  kernel_.SetThreadCpu(kTid, 3 * kMs);
  kernel_.SetOwnSwitches(0, 6);
  ReadAtEnd(kernel_, *slot_);
  EXPECT_EQ(kernel_.schedule_reads(), 0u);
  EXPECT_EQ(slot_->end.schedule_error, 0);
  EXPECT_EQ(slot_->end.schedule.run_ns, 3 * kMs);
  EXPECT_EQ(slot_->end.schedule.wait_ns, slot_->end.monotonic_ns - slot_->created_ns - 3 * kMs);
  EXPECT_EQ(slot_->end.schedule.turns, 7u);
}

TEST_F(WallTimes, OfAThreadThatGaveItsProcessorBackOnceAreRead) {
  BeginNew();
  slot_->created_ns = MonotonicNs() - 50 * kMs;
  kernel_.SetThreadCpu(kTid, 3 * kMs);
  kernel_.SetSchedule(kTid, {3 * kMs, 40 * kMs, 7});
  kernel_.SetOwnSwitches(1, 6);
  ReadAtEnd(kernel_, *slot_);
  EXPECT_EQ(kernel_.schedule_reads(), 1u);
  EXPECT_EQ(slot_->end.schedule.wait_ns, 40 * kMs);
}

TEST_F(WallTimes, OfAThreadWhoseCreationNobodySawAreRead) {
  BeginNew();
  kernel_.SetThreadCpu(kTid, 3 * kMs);
  kernel_.SetSchedule(kTid, {3 * kMs, 40 * kMs, 7});
  kernel_.SetOwnSwitches(0, 6);
  ReadAtEnd(kernel_, *slot_);
  EXPECT_EQ(kernel_.schedule_reads(), 1u);
}

TEST_F(WallTimes, OfAThreadThatEndsAreNotReadWhereNothingIsToBeDivided) {
  BeginNew();
  slot_->created_ns = MonotonicNs();
  kernel_.SetThreadCpu(kTid, 100'000);
  ReadAtEnd(kernel_, *slot_);
  EXPECT_EQ(kernel_.schedule_reads(), 0u);
  EXPECT_NE(slot_->end.schedule_error, 0);
}

}  // namespace
}  // namespace csink
