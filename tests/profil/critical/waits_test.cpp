#include "profil/critical/waits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/profil/critical/log_builder.h"

/// File: who ended each kind of wait.

namespace csink::critical {
namespace {

using testing::LogBuilder;

/// The waker of the only wait of a thread.
struct Answer {
  std::uint32_t thread = kNone;
  double ms = -1;
  Known known = Known::kNot;
};

Answer WakerOf(const LogBuilder& built, std::uint32_t thread, std::size_t wait = 0) {
  CriticalLog log = built.Log();
  const Waits waits = ResolveWaits(log);
  Answer answer;
  if (wait >= waits.waits.Of(thread).size()) return answer;
  const Wait& row = waits.waits.Of(thread)[wait];
  answer.known = row.known;
  if (const Waker* waker = waits.LatestWaker(thread, row)) {
    answer.thread = waker->thread;
    answer.ms = static_cast<double>(waker->time_ns - LogBuilder::kBegin) / 1e6;
  }
  return answer;
}

TEST(ResolveWaits, AMutexIsLeftByTheLastUnlockOfAnotherThread) {
  LogBuilder built;
  const auto a = built.Thread(0, 20);
  const auto b = built.Thread(0, 20);
  const auto c = built.Thread(0, 20);
  built.Wait(a, MomentKind::kMutexWait, 5, 10, 0x10);
  built.Point(b, MomentKind::kMutexUnlock, 7, 0x10);
  built.Point(c, MomentKind::kMutexUnlock, 9, 0x10);
  built.Point(b, MomentKind::kMutexUnlock, 9.5, 0x20);  // Another mutex
  built.Point(a, MomentKind::kMutexUnlock, 9.8, 0x10);  // Its own
  const Answer answer = WakerOf(built, a);
  EXPECT_EQ(answer.thread, c);
  EXPECT_DOUBLE_EQ(answer.ms, 9);
  EXPECT_EQ(answer.known, Known::kHook);
}

TEST(ResolveWaits, TheSameAddressInAnotherProcessIsAnotherMutex) {
  LogBuilder built;
  built.raw.processes.push_back({200});
  const auto a = built.Thread(0, 20);
  const auto b = built.Thread(0, 20, 1);
  built.Wait(a, MomentKind::kMutexWait, 5, 10, 0x10);
  built.Point(b, MomentKind::kMutexUnlock, 9, 0x10);
  built.Off(b, 1, 2);
  EXPECT_NE(WakerOf(built, a).known, Known::kHook);
}

TEST(ResolveWaits, ASignalWakesTheOldestWaiter) {
  // b is woken at 6 and waits for a processor until 15; the signal at 12 is c's.
  LogBuilder built;
  const auto a = built.Thread(0, 20);
  const auto b = built.Thread(0, 20);
  const auto c = built.Thread(0, 20);
  built.Wait(b, MomentKind::kConditionWait, 1, 15, 0x10);
  built.Wait(c, MomentKind::kConditionWait, 2, 13, 0x10);
  built.Point(a, MomentKind::kConditionSignal, 6, 0x10);
  built.Point(a, MomentKind::kConditionSignal, 12, 0x10);
  EXPECT_DOUBLE_EQ(WakerOf(built, b).ms, 6);
  EXPECT_DOUBLE_EQ(WakerOf(built, c).ms, 12);
}

TEST(ResolveWaits, ABroadcastWakesAll) {
  LogBuilder built;
  const auto a = built.Thread(0, 20);
  const auto b = built.Thread(0, 20);
  const auto c = built.Thread(0, 20);
  built.Wait(b, MomentKind::kConditionWait, 1, 15, 0x10);
  built.Wait(c, MomentKind::kConditionWait, 2, 13, 0x10);
  built.Point(a, MomentKind::kConditionBroadcast, 6, 0x10);
  EXPECT_DOUBLE_EQ(WakerOf(built, b).ms, 6);
  EXPECT_DOUBLE_EQ(WakerOf(built, c).ms, 6);
}

TEST(ResolveWaits, AWaiterOfAConditionWaitsForItsMutexToo) {
  LogBuilder built;
  const auto a = built.Thread(0, 20);
  const auto b = built.Thread(0, 20);
  built.Wait(b, MomentKind::kConditionWait, 1, 9, 0x10, 0x20);
  built.Point(a, MomentKind::kConditionSignal, 6, 0x10);
  built.Point(a, MomentKind::kMutexUnlock, 8, 0x20);
  EXPECT_DOUBLE_EQ(WakerOf(built, b).ms, 8);
}

TEST(ResolveWaits, AWaitThatItsTimeLimitEndedHasNoWaker) {
  LogBuilder built;
  const auto a = built.Thread(0, 20);
  const auto b = built.Thread(0, 20);
  built.Wait(b, MomentKind::kConditionWait, 1, 5, 0x10);
  built.Point(a, MomentKind::kConditionSignal, 6, 0x10);
  EXPECT_EQ(WakerOf(built, b).known, Known::kNot);
}

TEST(ResolveWaits, AWakeOfAFutexWakesSoManyAtMost) {
  LogBuilder built;
  const auto a = built.Thread(0, 20);
  const auto b = built.Thread(0, 20);
  const auto c = built.Thread(0, 20);
  const auto d = built.Thread(0, 20);
  for (const auto thread : {b, c, d}) {
    built.Wait(thread, MomentKind::kFutexWait, 1 + 0.1 * thread, 15, 0x10);
  }
  built.Point(a, MomentKind::kFutexWake, 6, 0x10, 2);
  built.Point(a, MomentKind::kFutexWake, 9, 0x10, 1);
  EXPECT_DOUBLE_EQ(WakerOf(built, b).ms, 6);
  EXPECT_DOUBLE_EQ(WakerOf(built, c).ms, 6);
  EXPECT_DOUBLE_EQ(WakerOf(built, d).ms, 9);
}

TEST(ResolveWaits, OpenAndCutWaitsTakeNoSignal) {
  LogBuilder built;
  const auto a = built.Thread(0, 20);
  const auto b = built.Thread(0, 20);
  const auto c = built.Thread(0, 20);
  built.Wait(b, MomentKind::kSemaphoreWait, 1, 20, 0x10);
  built.raw.moments.back().flags = kMomentOpen;
  built.Wait(c, MomentKind::kSemaphoreWait, 2, 9, 0x10);
  built.Point(a, MomentKind::kSemaphorePost, 8, 0x10);
  EXPECT_DOUBLE_EQ(WakerOf(built, c).ms, 8);
  EXPECT_EQ(WakerOf(built, b).known, Known::kNot);
}

TEST(ResolveWaits, RoundsOfABarrierAreToldApart) {
  LogBuilder built;
  const auto a = built.Thread(0, 40);
  const auto b = built.Thread(0, 40);
  built.Wait(a, MomentKind::kBarrierWait, 3, 10, 0x10);
  built.Wait(b, MomentKind::kBarrierWait, 10, 10, 0x10);
  built.Wait(a, MomentKind::kBarrierWait, 20, 20, 0x10);
  built.Wait(b, MomentKind::kBarrierWait, 12, 20.1, 0x10);
  EXPECT_DOUBLE_EQ(WakerOf(built, a, 0).ms, 10);
  EXPECT_EQ(WakerOf(built, b, 0).known, Known::kOwn);
  EXPECT_EQ(WakerOf(built, b, 1).thread, a);
  EXPECT_DOUBLE_EQ(WakerOf(built, b, 1).ms, 20);
}

TEST(ResolveWaits, AReaderOfAPipeWaitsForTheWriteOfItsLastByte) {
  // Two writing processes, each with its own count.
  LogBuilder built;
  built.raw.processes.push_back({200});
  built.raw.processes.push_back({300});
  const auto a = built.Thread(0, 40);
  const auto b = built.Thread(0, 40, 1);
  const auto c = built.Thread(0, 40, 2);
  built.Point(b, MomentKind::kPipeWritten, 3, 77, 100);
  built.Point(c, MomentKind::kPipeWritten, 5, 77, 100);
  built.Point(b, MomentKind::kPipeWritten, 9, 77, 200);
  built.Point(b, MomentKind::kPipeClosed, 10, 77);
  built.Point(c, MomentKind::kPipeClosed, 15, 77);
  built.Wait(a, MomentKind::kPipeRead, 1, 3.1, 77, 100);
  built.Wait(a, MomentKind::kPipeRead, 4, 5.1, 77, 200);
  built.Wait(a, MomentKind::kPipeRead, 6, 9.1, 77, 300);
  built.Wait(a, MomentKind::kPipeRead, 11, 15.1, 77, 300);
  EXPECT_DOUBLE_EQ(WakerOf(built, a, 0).ms, 3);
  EXPECT_EQ(WakerOf(built, a, 1).thread, c);
  EXPECT_DOUBLE_EQ(WakerOf(built, a, 2).ms, 9);
  EXPECT_DOUBLE_EQ(WakerOf(built, a, 3).ms, 15);
}

TEST(ResolveWaits, AWriteThatWasNotedLateIsMovedBeforeTheRead) {
  LogBuilder built;
  const auto a = built.Thread(0, 40);
  const auto b = built.Thread(0, 40);
  built.Wait(a, MomentKind::kPipeRead, 1, 3, 77, 100);
  built.Point(b, MomentKind::kPipeWritten, 3.5, 77, 100);
  EXPECT_DOUBLE_EQ(WakerOf(built, a).ms, 3);
}

TEST(ResolveWaits, AWriterToAFullPipeWaitsForARead) {
  LogBuilder built;
  const auto a = built.Thread(0, 40);
  const auto b = built.Thread(0, 40);
  built.Wait(b, MomentKind::kPipeRead, 8, 9, 77, 100);
  built.Wait(a, MomentKind::kPipeWrite, 1, 9.1, 77);
  EXPECT_EQ(WakerOf(built, a).thread, b);
  EXPECT_DOUBLE_EQ(WakerOf(built, a).ms, 9);
}

TEST(ResolveWaits, AJoinWaitsForTheThreadThatHadTheHandleLast) {
  LogBuilder built;
  const auto a = built.Thread(0, 40);
  const auto b = built.Thread(1, 5);
  const auto c = built.Thread(10, 20);
  built.raw.threads[c].handle = built.raw.threads[b].handle;
  built.Join(a, b, 2, 5.1);
  built.Join(a, b, 12, 20.1);
  EXPECT_EQ(WakerOf(built, a, 0).thread, b);
  EXPECT_EQ(WakerOf(built, a, 1).thread, c);
  EXPECT_DOUBLE_EQ(WakerOf(built, a, 1).ms, 20);
}

TEST(ResolveWaits, ChildrenAndTheirParents) {
  LogBuilder built;
  built.raw.processes.push_back({200});
  const auto a = built.Thread(0, 40);
  const auto b = built.Thread(5, 30, 1);
  built.Point(a, MomentKind::kFork, 5.2, 0, 200);
  built.Wait(a, MomentKind::kChildWait, 6, 30.1, 200);
  EXPECT_EQ(WakerOf(built, a).thread, b);
  EXPECT_DOUBLE_EQ(WakerOf(built, a).ms, 30);
  CriticalLog log = built.Log();
  const Waits waits = ResolveWaits(log);
  EXPECT_EQ(waits.creators[b].thread, a);
  // The fork was noted behind the child's start.
  EXPECT_EQ(waits.creators[b].time_ns, LogBuilder::Ns(5));
}

TEST(ResolveWaits, AThreadIdThatIsUsedAgainHasTwoCreators) {
  LogBuilder built;
  const auto a = built.Thread(0, 40);
  const auto b = built.Thread(1, 5);
  const auto c = built.Thread(10, 20);
  built.raw.threads[c].tid = built.raw.threads[b].tid;
  built.Point(a, MomentKind::kThreadCreated, 1, 0, built.raw.threads[b].tid);
  built.Point(a, MomentKind::kThreadCreated, 9, 0, built.raw.threads[b].tid);
  CriticalLog log = built.Log();
  const Waits waits = ResolveWaits(log);
  EXPECT_EQ(waits.creators[b].time_ns, LogBuilder::Ns(1));
  EXPECT_EQ(waits.creators[c].time_ns, LogBuilder::Ns(9));
}

TEST(ResolveWaits, RegionsOfOpenMp) {
  LogBuilder built;
  const auto a = built.Thread(0, 40);
  const auto b = built.Thread(0, 40);
  built.Point(a, MomentKind::kOpenMpStart, 10, 1);
  built.Wait(b, MomentKind::kOpenMpIdle, 2, 10.1, 1);
  built.Point(a, MomentKind::kOpenMpMemberEnd, 15, 1);
  built.Point(b, MomentKind::kOpenMpMemberEnd, 20, 1);
  built.Wait(a, MomentKind::kOpenMpRegion, 15, 20.1, 1);
  EXPECT_EQ(WakerOf(built, b).thread, a);
  EXPECT_DOUBLE_EQ(WakerOf(built, b).ms, 10);
  EXPECT_EQ(WakerOf(built, a).thread, b);
  EXPECT_DOUBLE_EQ(WakerOf(built, a).ms, 20);
}

TEST(ResolveWaits, AWriterWaitsForAllReadersOfALock) {
  LogBuilder built;
  const auto a = built.Thread(0, 40);
  const auto b = built.Thread(0, 40);
  const auto c = built.Thread(0, 40);
  built.Wait(a, MomentKind::kReadWriteLockWait, 1, 9, 0x10);
  built.Point(b, MomentKind::kReadWriteUnlock, 4, 0x10);
  built.Point(c, MomentKind::kReadWriteUnlock, 8, 0x10);
  CriticalLog log = built.Log();
  const Waits waits = ResolveWaits(log);
  EXPECT_EQ(waits.WakersOf(waits.waits.Of(a)[0]).size(), 2u);
  EXPECT_EQ(WakerOf(built, a).thread, c);
}

TEST(ResolveWaits, OfNestedWaitsTheOneWithAWakerCounts) {
  LogBuilder built;
  const auto a = built.Thread(0, 40);
  const auto b = built.Thread(0, 40);
  // A call of MPI that waits for a mutex, and a condition whose call waits for a futex.
  built.Wait(a, MomentKind::kMpiWait, 1, 10);
  built.Wait(a, MomentKind::kMutexWait, 2, 9, 0x10);
  built.Point(b, MomentKind::kMutexUnlock, 9, 0x10);
  built.Wait(a, MomentKind::kConditionWait, 12, 20, 0x30);
  built.Wait(a, MomentKind::kFutexWait, 13, 19, 0x40);
  built.Point(b, MomentKind::kConditionSignal, 18, 0x30);
  CriticalLog log = built.Log();
  const Waits waits = ResolveWaits(log);
  ASSERT_EQ(waits.waits.Of(a).size(), 2u);
  EXPECT_EQ(waits.waits.Of(a)[0].kind, MomentKind::kMutexWait);
  EXPECT_EQ(waits.waits.Of(a)[1].kind, MomentKind::kConditionWait);
}

TEST(ResolveWaits, WaitsOfAThreadNeverOverlap) {
  LogBuilder built;
  const auto a = built.Thread(0, 40);
  const auto b = built.Thread(0, 40);
  built.Wait(a, MomentKind::kMpiWait, 1, 10);
  built.Wait(a, MomentKind::kMpiWait, 5, 20);
  built.Wait(a, MomentKind::kMutexWait, 6, 8, 0x10);
  built.Wait(a, MomentKind::kMutexWait, 7, 15, 0x10);
  built.Point(b, MomentKind::kMutexUnlock, 7.5, 0x10);
  CriticalLog log = built.Log();
  const Waits waits = ResolveWaits(log);
  const auto rows = waits.waits.Of(a);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].end_ns, LogBuilder::Ns(10));
  EXPECT_EQ(rows[1].start_ns, LogBuilder::Ns(10));
  EXPECT_EQ(rows[1].end_ns, LogBuilder::Ns(15));
}

}  // namespace
}  // namespace csink::critical
