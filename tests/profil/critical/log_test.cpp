#include "profil/critical/log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/profil/critical/log_builder.h"

/// File: logs of unsorted and damaged records.

namespace csink::critical {
namespace {

using testing::LogBuilder;

TEST(MakeLog, SortsTheRecordsOfEachThread) {
  LogBuilder built;
  const auto a = built.Thread(0, 10);
  const auto b = built.Thread(1, 9);
  built.Point(b, MomentKind::kMutexUnlock, 5, 1);
  built.Point(a, MomentKind::kMutexUnlock, 7, 1);
  built.Point(a, MomentKind::kMutexUnlock, 3, 2);
  built.raw.samples = {
      {LogBuilder::Ns(8), a, 1}, {LogBuilder::Ns(2), b, 2}, {LogBuilder::Ns(4), a, 3}};
  const CriticalLog log = built.Log();
  ASSERT_EQ(log.moments.Of(a).size(), 2u);
  EXPECT_EQ(log.moments.Of(a)[0].object, 2u);
  EXPECT_EQ(log.moments.Of(b).size(), 1u);
  EXPECT_EQ(log.samples.Of(a)[0].chain, 3u);
  EXPECT_EQ(log.root, a);
  EXPECT_EQ(log.RunNs(), 10'000'000);
}

TEST(MakeLog, DropsAndCountsWhatCannotBe) {
  LogBuilder built;
  const auto a = built.Thread(0, 10);
  built.Point(77, MomentKind::kMutexUnlock, 5);
  built.Point(a, static_cast<MomentKind>(40), 5);
  built.raw.moments.push_back({-5, 0, 0, 0, a, MomentKind::kSleep});
  built.raw.moments.push_back(
      {std::int64_t{0x7fffffffffffffff}, 0, 0, 0, a, MomentKind::kMutexUnlock});
  built.raw.samples.push_back({LogBuilder::Ns(1), a, 4711});
  built.raw.switches.push_back({LogBuilder::Ns(1), a, static_cast<SwitchKind>(9)});
  const CriticalLog log = built.Log();
  EXPECT_EQ(log.dropped, 6u);
  EXPECT_TRUE(log.moments.rows.empty());
}

TEST(MakeLog, AWaitThatEndsBeforeItsBeginTakesNoTime) {
  LogBuilder built;
  const auto a = built.Thread(0, 10);
  built.Wait(a, MomentKind::kSleep, 5, 3);
  EXPECT_EQ(built.Log().moments.rows[0].end_ns, LogBuilder::Ns(5));
}

TEST(MakeLog, ThreadsWithoutBeginAndEndHaveThoseOfTheirRecords) {
  LogBuilder built;
  const auto a = built.Thread(0, 10);
  const auto b = built.Thread(0, 0);
  built.raw.threads[b].start_ns = built.raw.threads[b].end_ns = 0;
  built.raw.threads[b].process = 0xffffffff;
  built.Work(b, 1, 3, 6);
  built.Wait(a, MomentKind::kSleep, 2, 12);
  const CriticalLog log = built.Log();
  EXPECT_EQ(log.threads[b].start_ns, LogBuilder::Ns(3.5));
  EXPECT_EQ(log.threads[b].end_ns, LogBuilder::Ns(5.5));
  EXPECT_EQ(log.threads[b].process, 1u);
  EXPECT_EQ(log.threads[a].end_ns, LogBuilder::Ns(12));
}

TEST(MakeLog, SwitchesThatDoNotMatchLeaveTheTimesDisjoint) {
  LogBuilder built;
  const auto a = built.Thread(0, 10);
  built.Switch(a, SwitchKind::kIn, 1);
  built.Switch(a, SwitchKind::kOutBlocked, 2);
  built.Switch(a, SwitchKind::kOutBlocked, 3);
  built.Switch(a, SwitchKind::kIn, 4);
  built.Switch(a, SwitchKind::kIn, 5);
  built.Switch(a, SwitchKind::kOutPreempted, 90);
  const CriticalLog log = built.Log();
  const auto on = log.on.Of(a);
  ASSERT_EQ(on.size(), 2u);
  EXPECT_EQ(on[0].end_ns, LogBuilder::Ns(2));
  EXPECT_TRUE(on[0].blocked);
  EXPECT_EQ(on[1].begin_ns, LogBuilder::Ns(4));
  EXPECT_EQ(on[1].end_ns, LogBuilder::Ns(10));
}

TEST(MakeLog, WhereSwitchesWereLostTheWaitsCount) {
  LogBuilder built;
  const auto a = built.Thread(0, 10);
  built.Off(a, 1, 2);
  built.Off(a, 4, 8);  // The kernel lost what was between
  built.Wait(a, MomentKind::kSleep, 5, 6);
  built.raw.lost_switches.push_back({a, LogBuilder::Ns(3), LogBuilder::Ns(9)});
  const CriticalLog log = built.Log();
  std::size_t from = 0;
  EXPECT_EQ(OnProcessorNs(log.on.Of(a), LogBuilder::Ns(0), LogBuilder::Ns(10), from), 8'000'000);
}

TEST(MakeLog, ARunOfSpinningSamplesIsAWait) {
  LogBuilder built;
  const auto a = built.Thread(0, 60);
  built.raw.spins = {false, true};
  built.Work(a, 0, 0, 10);
  built.Work(a, 1, 10, 20);
  built.Work(a, 0, 20, 30);
  built.Work(a, 1, 30, 35);
  built.Work(a, 1, 45, 50);  // A pause between: two waits
  const CriticalLog log = built.Log();
  EXPECT_EQ(log.spin_samples, 20u);
  EXPECT_EQ(log.samples.rows.size(), 20u);
  ASSERT_EQ(log.moments.rows.size(), 3u);
  EXPECT_EQ(log.moments.rows[0].kind, MomentKind::kSpinWait);
  EXPECT_EQ(log.moments.rows[0].start_ns, LogBuilder::Ns(10));
  EXPECT_EQ(log.moments.rows[0].end_ns, LogBuilder::Ns(20));
}

TEST(MakeLog, AnEmptyLogIsNoRun) {
  const CriticalLog log = MakeLog({});
  EXPECT_EQ(log.root, kNone);
  EXPECT_EQ(log.RunNs(), 0);
  EXPECT_EQ(CriticalModel(MakeLog({})).Analyse().forecast, Forecast::kNoRun);
}

}  // namespace
}  // namespace csink::critical
