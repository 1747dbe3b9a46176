#include "profil/critical/replay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/profil/critical/log_builder.h"

/// File: replays of runs whose changed time follows by arithmetic. Place 0 is always the code that
/// the run waits for.

namespace csink::critical {
namespace {

using testing::LogBuilder;

/// Times of the replays in ms.
struct Times {
  double dag = 0;
  double fluid = 0;
  double delayed = 0;
};

Times ReplayOf(const LogBuilder& built, const Change& change) {
  const CriticalModel model(built.Log());
  return {model.replay().Dag(change) / 1e6, model.replay().Fluid(change, false) / 1e6,
          model.replay().Fluid(change, true) / 1e6};
}
Change Shorter(std::uint32_t place, double by) {
  Change change;
  change.places = {place};
  change.shorter = by;
  return change;
}
void ExpectAll(const Times& times, double ms, double within = 0.02) {
  EXPECT_NEAR(times.dag, ms, within);
  EXPECT_NEAR(times.fluid, ms, within);
  EXPECT_NEAR(times.delayed, ms, within);
}

/// 100 ms alone, then 100 ms in two threads.
LogBuilder SerialParallel() {
  LogBuilder built;
  const auto a = built.Thread(0, 200);
  const auto b = built.Created(100, 200, a);
  built.Work(a, 0, 0, 100);
  built.Work(a, 1, 100, 200);
  built.Work(b, 1, 100, 200);
  built.Join(a, b, 200, 200);
  return built;
}

TEST(Replay, OfAnUnchangedLogTakesItsTime) { ExpectAll(ReplayOf(SerialParallel(), {}), 200, 0); }

TEST(Replay, SerialAndParallelCode) {
  ExpectAll(ReplayOf(SerialParallel(), Shorter(0, 0.2)), 180);
  ExpectAll(ReplayOf(SerialParallel(), Shorter(1, 0.2)), 180);
  Change both = Shorter(0, 0.5);
  both.places = {0, 1};
  ExpectAll(ReplayOf(SerialParallel(), both), 100);
}

TEST(Replay, FewerProcessorsAreShared) {
  Change one;
  one.processors = 1;
  EXPECT_NEAR(ReplayOf(SerialParallel(), one).fluid, 300, 0.01);
  one.processors = 3;
  EXPECT_NEAR(ReplayOf(SerialParallel(), one).fluid, 200, 0.01);
}

TEST(Replay, OfTwoEqualThreadsOneSavesNothing) {
  LogBuilder built;
  const auto a = built.Thread(0, 100);
  const auto b = built.Created(0, 100, a);
  built.Work(a, 0, 0, 100);
  built.Work(b, 1, 0, 100);
  built.Join(a, b, 100, 100);
  ExpectAll(ReplayOf(built, Shorter(0, 0.2)), 100);
  ExpectAll(ReplayOf(built, Shorter(1, 0.2)), 100);
  Change both = Shorter(0, 0.2);
  both.places = {0, 1};
  ExpectAll(ReplayOf(built, both), 80);
}

/// Three threads take turns of 2 ms in a lock; each works 1 ms outside. 30 turns.
LogBuilder Convoy() {
  constexpr std::uint64_t kLock = 0x10;
  LogBuilder built(4);
  for (int i = 0; i < 3; ++i) built.Thread(0, i == 1 ? 58 : 60);
  for (std::uint32_t turn = 0; turn < 30; ++turn) {
    const std::uint32_t thread = turn % 3;
    const double begin = 2.0 * turn;
    if (turn > 0) {
      built.Wait(thread, MomentKind::kMutexWait, turn < 3 ? 0 : begin - 3, begin, kLock);
    }
    built.Work(thread, 0, begin, begin + 2);
    built.Point(thread, MomentKind::kMutexUnlock, begin + 2, kLock);
    if (turn < 28) built.Work(thread, 1, begin + 2, begin + 3);
  }
  built.Join(0, 2, 57, 60);
  return built;
}

TEST(Replay, AConvoyAtALock) {
  ExpectAll(ReplayOf(Convoy(), Shorter(0, 0.2)), 48);
  ExpectAll(ReplayOf(Convoy(), Shorter(0, 0.5)), 30, 0.6);
  ExpectAll(ReplayOf(Convoy(), Shorter(1, 0.5)), 60);
}

TEST(Replay, WithoutTheLockEachThreadWorksAlone) {
  Change change;
  change.never_waited_for = Object{0, 0x10};
  ExpectAll(ReplayOf(Convoy(), change), 30);
  change.never_waited_for = Object{0, 0x20};
  ExpectAll(ReplayOf(Convoy(), change), 60);
  change.never_waited_for = Object{1, 0x10};
  ExpectAll(ReplayOf(Convoy(), change), 60);
}

/// A producer of 3 ms signals a consumer of 1 ms, 20 times.
TEST(Replay, AHandshakeByAConditionVariable) {
  LogBuilder built;
  const auto a = built.Thread(0, 61);
  const auto b = built.Created(0, 61, a);
  for (int i = 0; i < 20; ++i) {
    const double end = 3.0 * (i + 1);
    built.Work(a, 0, end - 3, end);
    built.Point(a, MomentKind::kConditionSignal, end, 0x10);
    built.Wait(b, MomentKind::kConditionWait, i == 0 ? 0 : end - 2, end, 0x10);
    built.Work(b, 1, end, end + 1);
  }
  built.Join(a, b, 60, 61);
  ExpectAll(ReplayOf(built, Shorter(0, 0.2)), 49);
  ExpectAll(ReplayOf(built, Shorter(0, 0.5)), 31);
  ExpectAll(ReplayOf(built, Shorter(1, 0.5)), 60.5);
}

/// 5 ms and 3 ms up to each of 20 barriers.
TEST(Replay, ABarrierWhoseLastThreadChanges) {
  LogBuilder built;
  const auto a = built.Thread(0, 100);
  const auto b = built.Created(0, 100, a);
  for (int i = 0; i < 20; ++i) {
    const double begin = 5.0 * i;
    built.Work(a, 0, begin, begin + 5);
    built.Work(b, 1, begin, begin + 3);
    built.Wait(b, MomentKind::kBarrierWait, begin + 3, begin + 5, 0x10);
    built.Wait(a, MomentKind::kBarrierWait, begin + 5, begin + 5, 0x10);
  }
  built.Join(a, b, 100, 100);
  ExpectAll(ReplayOf(built, Shorter(0, 0.2)), 80);
  // The other thread is the last one then. The path alone would say 50.
  ExpectAll(ReplayOf(built, Shorter(0, 0.5)), 60);
  ExpectAll(ReplayOf(built, Shorter(1, 0.5)), 100);
}

/// A child makes data in 3 ms, its parent reads and works 2 ms, 20 times.
TEST(Replay, APipeBetweenProcesses) {
  LogBuilder built;
  built.raw.processes.push_back({200});
  const auto a = built.Thread(0, 62);
  const auto b = built.Thread(0, 60, 1);
  built.Point(a, MomentKind::kFork, 0, 0, 200);
  for (std::uint64_t i = 0; i < 20; ++i) {
    const double end = 3.0 * static_cast<double>(i + 1);
    built.Work(b, 0, end - 3, end);
    built.Point(b, MomentKind::kPipeWritten, end, 77, 100 * (i + 1));
    built.Wait(a, MomentKind::kPipeRead, i == 0 ? 0 : end - 1, end, 77, 100 * (i + 1));
    built.Work(a, 1, end, end + 2);
  }
  built.Wait(a, MomentKind::kChildWait, 62, 62, 200);
  ExpectAll(ReplayOf(built, Shorter(0, 0.2)), 50);
  ExpectAll(ReplayOf(built, Shorter(0, 0.5)), 41.5);
  ExpectAll(ReplayOf(built, Shorter(1, 0.5)), 61);
}

/// Work of 2 ms each is given to two threads by a semaphore; they take 3 ms. 20 times.
TEST(Replay, APoolWithASemaphore) {
  LogBuilder built(3);
  const auto a = built.Thread(0, 43);
  const std::uint32_t workers[] = {built.Created(0, 41, a), built.Created(0, 43, a)};
  for (int i = 0; i < 20; ++i) {
    const double post = 2.0 * (i + 1);
    built.Work(a, 0, post - 2, post);
    built.Point(a, MomentKind::kSemaphorePost, post, 0x10);
    const std::uint32_t worker = workers[i % 2];
    built.Wait(worker, MomentKind::kSemaphoreWait, i < 2 ? 0.1 * i : post - 1, post, 0x10);
    built.Work(worker, 1, post, post + 3);
  }
  built.Join(a, workers[1], 40, 43);
  ExpectAll(ReplayOf(built, Shorter(0, 0.2)), 35);
  ExpectAll(ReplayOf(built, Shorter(0, 0.5)), 32);
  ExpectAll(ReplayOf(built, Shorter(1, 0.5)), 41.5);
}

/// One processor for two threads of 50 ms, 10 ms each in turn.
TEST(Replay, OneProcessorForTwoThreads) {
  LogBuilder built(1);
  const auto a = built.Thread(0, 100);
  const auto b = built.Created(0, 100, a);
  for (int i = 0; i < 5; ++i) {
    const double begin = 20.0 * i;
    built.Work(a, 0, begin, begin + 10);
    built.Work(b, 1, begin + 10, begin + 20);
    built.Off(b, begin, begin + 10, SwitchKind::kOutPreempted);
    built.Switch(a, SwitchKind::kOutPreempted, begin + 10);
    built.Switch(a, SwitchKind::kIn, begin + 20);
  }
  built.Join(a, b, 90, 100);
  EXPECT_NEAR(ReplayOf(built, Shorter(0, 0.2)).fluid, 90, 0.02);
  EXPECT_NEAR(ReplayOf(built, Shorter(1, 0.2)).fluid, 90, 0.02);
  EXPECT_NEAR(ReplayOf(built, Shorter(0, 0.2)).delayed, 90, 0.02);
  // With the recorded delays, the work of the first thread is not seen.
  EXPECT_NEAR(ReplayOf(built, Shorter(0, 0.2)).dag, 100, 0.02);
  EXPECT_NEAR(ReplayOf(built, Shorter(1, 0.2)).dag, 90, 0.02);
  Change two;
  two.processors = 2;
  EXPECT_NEAR(ReplayOf(built, two).fluid, 50, 0.02);
}

/// Ten times 20 ms of sleep and 8 ms of work, beside a thread of 250 ms.
TEST(Replay, ASleepIsNotMadeShorter) {
  LogBuilder built;
  const auto a = built.Thread(0, 280);
  const auto b = built.Created(0, 250, a);
  built.Work(b, 1, 0, 250);
  for (int i = 0; i < 10; ++i) {
    built.Wait(a, MomentKind::kSleep, 28.0 * i, 28.0 * i + 20);
    built.Work(a, 0, 28.0 * i + 20, 28.0 * i + 28);
  }
  built.Join(a, b, 280, 280);
  ExpectAll(ReplayOf(built, Shorter(0, 0.2)), 264);
  ExpectAll(ReplayOf(built, Shorter(1, 0.5)), 280);
}

/// Other programs have the processor for half of the time.
TEST(Replay, TimeThatOtherProgramsHadRemainsWithDelays) {
  LogBuilder built;
  const auto a = built.Thread(0, 100);
  for (int i = 0; i < 10; ++i) {
    built.Work(a, 0, 10.0 * i, 10.0 * i + 5);
    built.Off(a, 10.0 * i + 5, 10.0 * i + 10, SwitchKind::kOutPreempted);
  }
  const Times times = ReplayOf(built, Shorter(0, 0.2));
  EXPECT_NEAR(times.dag, 90, 0.02);
  EXPECT_NEAR(times.delayed, 90, 0.02);
  EXPECT_NEAR(times.fluid, 40, 0.02);
}

TEST(Replay, CodeWithItsCallees) {
  LogBuilder built;
  const auto a = built.Thread(0, 100);
  built.raw.chains[3] = {3, 5, 5};  // 3, called by 5, which called itself
  built.Work(a, 3, 0, 60);
  built.Work(a, 5, 60, 100);
  Change change = Shorter(5, 0.5);
  ExpectAll(ReplayOf(built, change), 80);
  change.with_callees = true;
  ExpectAll(ReplayOf(built, change), 50);
}

/// Of pieces with a sample each, one in four has the place: all of them have a quarter of it.
TEST(Replay, ShortPiecesHaveThePlacesOfTheirKind) {
  LogBuilder built;
  const auto a = built.Thread(0, 80);
  for (int i = 0; i < 40; ++i) {
    built.Work(a, i % 4 == 0 ? 0 : 1, 2.0 * i, 2.0 * i + 1);
    built.Wait(a, MomentKind::kSleep, 2.0 * i + 1, 2.0 * i + 2);
  }
  ExpectAll(ReplayOf(built, Shorter(0, 0.4)), 80 - 40 * 0.25 * 0.4, 0.4);
}

TEST(Replay, ClocksThatContradictEachOtherEnd) {
  // Each of two threads waits for what the other one does behind its own wait.
  LogBuilder built;
  const auto a = built.Thread(0, 100);
  const auto b = built.Thread(0, 100);
  built.Join(a, b, 10, 99.9);
  built.Join(b, a, 20, 99.95);
  const Times times = ReplayOf(built, {});
  EXPECT_NEAR(times.dag, 100, 1);
  EXPECT_GT(times.fluid, 0);
}

}  // namespace
}  // namespace csink::critical
