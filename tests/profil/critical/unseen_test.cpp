#include "profil/critical/unseen.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/profil/critical/log_builder.h"

/// File: waits that switches alone show.

namespace csink::critical {
namespace {

using testing::LogBuilder;

Wait OnlyWait(const CriticalLog&, const Waits& waits, std::uint32_t thread) {
  return waits.waits.Of(thread).size() == 1 ? waits.waits.Of(thread)[0] : Wait{};
}

TEST(UnseenWaits, TheOnlyOtherThreadThatRanIsTheWaker) {
  LogBuilder built;
  const auto a = built.Thread(0, 40);
  const auto b = built.Thread(0, 40);
  const auto c = built.Thread(0, 40);
  built.Off(a, 5, 20);
  built.Off(c, 1, 39);
  built.Off(b, 30, 31);
  CriticalLog log = built.Log();
  const Waits waits = ResolveWaits(log);
  const Wait wait = OnlyWait(log, waits, a);
  EXPECT_EQ(wait.kind, MomentKind::kUnseenWait);
  EXPECT_EQ(wait.known, Known::kInferred);
  EXPECT_EQ(waits.LatestWaker(a, wait)->thread, b);
  EXPECT_EQ(waits.LatestWaker(a, wait)->time_ns, LogBuilder::Ns(20));
}

TEST(UnseenWaits, OneThatLeftItsProcessorJustBeforeCounts) {
  LogBuilder built;
  const auto a = built.Thread(0, 40);
  const auto b = built.Thread(0, 40);
  built.Off(a, 5, 20);
  built.Off(b, 19.9, 30);
  CriticalLog log = built.Log();
  Waits waits = ResolveWaits(log);
  EXPECT_EQ(OnlyWait(log, waits, a).known, Known::kInferred);
  built.raw.switches.clear();
  built.Off(a, 5, 20);
  built.Off(b, 19.7, 30);
  log = built.Log();
  waits = ResolveWaits(log);
  EXPECT_EQ(OnlyWait(log, waits, a).known, Known::kNot);
}

TEST(UnseenWaits, TwoThreadsThatRanMayBothBeTheWaker) {
  LogBuilder built;
  const auto a = built.Thread(0, 40);
  const auto b = built.Thread(0, 40);
  const auto c = built.Thread(0, 40);
  built.Off(a, 5, 20);
  built.Off(b, 30, 31);
  built.Off(c, 30, 31);
  CriticalLog log = built.Log();
  const Waits waits = ResolveWaits(log);
  EXPECT_EQ(OnlyWait(log, waits, a).known, Known::kNot);
}

TEST(UnseenWaits, PreemptionShortPausesAndHookedWaitsAreNone) {
  LogBuilder built;
  const auto a = built.Thread(0, 40);
  built.Thread(0, 40);
  built.Off(a, 5, 8, SwitchKind::kOutPreempted);
  built.Off(a, 9, 9.01);
  built.Wait(a, MomentKind::kSleep, 10, 15);
  built.Off(a, 10.01, 15.02);
  CriticalLog log = built.Log();
  const Waits waits = ResolveWaits(log);
  EXPECT_EQ(OnlyWait(log, waits, a).kind, MomentKind::kSleep);
}

TEST(UnseenWaits, HookedWaitsWithoutAWakerAreInferredButNotTimeLimits) {
  LogBuilder built;
  const auto a = built.Thread(0, 40);
  const auto b = built.Thread(0, 40);
  built.Wait(a, MomentKind::kPollWait, 5, 10);
  built.Wait(a, MomentKind::kConditionWait, 15, 20, 0x10);
  CriticalLog log = built.Log();
  const Waits waits = ResolveWaits(log);
  EXPECT_EQ(waits.waits.Of(a)[0].known, Known::kInferred);
  EXPECT_EQ(waits.LatestWaker(a, waits.waits.Of(a)[0])->thread, b);
  EXPECT_EQ(waits.waits.Of(a)[1].known, Known::kNot);
}

TEST(UnseenWaits, AmongSpinningThreadsTheOneThatWorksIsTheWaker) {
  LogBuilder built;
  built.raw.spins = {false, true};
  const auto a = built.Thread(0, 40);
  const auto b = built.Thread(0, 40);
  const auto c = built.Thread(0, 40);
  built.Work(a, 1, 5, 20);
  built.Work(b, 0, 0, 40);
  built.Work(c, 1, 5, 35);
  CriticalLog log = built.Log();
  const Waits waits = ResolveWaits(log);
  const Wait wait = OnlyWait(log, waits, a);
  ASSERT_EQ(wait.known, Known::kInferred);
  EXPECT_EQ(waits.LatestWaker(a, wait)->thread, b);
}

}  // namespace
}  // namespace csink::critical
