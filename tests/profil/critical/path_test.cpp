#include "profil/critical/path.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/profil/critical/log_builder.h"

/// File: the path of small runs, written as "thread kind begin-end" from the end on.

namespace csink::critical {
namespace {

using ::testing::ElementsAre;
using testing::LogBuilder;

std::vector<std::string> PathOf(const LogBuilder& built) {
  CriticalLog log = built.Log();
  const Waits waits = ResolveWaits(log);
  const char* const kinds[] = {"runs", "woken", "starts", "sleeps", "unknown"};
  std::vector<std::string> texts;
  for (const Segment& segment : WalkBack(log, waits)) {
    const auto ms = [](std::int64_t time) {
      return std::to_string((time - LogBuilder::kBegin) / 1'000'000);
    };
    texts.push_back(std::to_string(segment.thread) + " " + kinds[static_cast<int>(segment.kind)] +
                    " " + ms(segment.begin_ns) + "-" + ms(segment.end_ns));
  }
  return texts;
}

TEST(WalkBack, GoesFromTheJoinIntoTheThreadAndToItsCreator) {
  LogBuilder built;
  const auto a = built.Thread(0, 50);
  const auto b = built.Thread(12, 40);
  built.Point(a, MomentKind::kThreadCreated, 10, 0, built.raw.threads[b].tid);
  built.Join(a, b, 20, 42);
  EXPECT_THAT(PathOf(built), ElementsAre("0 runs 42-50", "0 woken 40-42", "1 runs 12-40",
                                         "1 starts 10-12", "0 runs 0-10"));
}

TEST(WalkBack, StaysInTheThreadAtSleepsAndUnknownWaits) {
  LogBuilder built;
  const auto a = built.Thread(0, 50);
  built.Wait(a, MomentKind::kSleep, 10, 20);
  built.Wait(a, MomentKind::kConditionWait, 30, 40, 0x10);
  EXPECT_THAT(PathOf(built), ElementsAre("0 runs 40-50", "0 unknown 30-40", "0 runs 20-30",
                                         "0 sleeps 10-20", "0 runs 0-10"));
}

TEST(WalkBack, PassesOverShortWaits) {
  LogBuilder built;
  const auto a = built.Thread(0, 50);
  for (int i = 1; i < 40; ++i) built.Wait(a, MomentKind::kSleep, i, i + 0.009);
  EXPECT_THAT(PathOf(built), ElementsAre("0 runs 0-50"));
}

TEST(WalkBack, TheLastToABarrierWaitedForNobody) {
  LogBuilder built;
  const auto a = built.Thread(0, 50);
  const auto b = built.Thread(0, 50);
  built.Wait(b, MomentKind::kBarrierWait, 5, 11, 0x10);
  built.Wait(a, MomentKind::kBarrierWait, 10, 11, 0x10);  // Its call took 1 ms
  EXPECT_THAT(PathOf(built), ElementsAre("0 runs 0-50"));
}

TEST(WalkBack, ADataThatWasThereLongBeforeIsNoWait) {
  LogBuilder built;
  const auto a = built.Thread(0, 50);
  const auto b = built.Thread(0, 50);
  built.Point(b, MomentKind::kPipeWritten, 2, 77, 10);
  built.Wait(a, MomentKind::kPipeRead, 10, 11, 77, 10);
  EXPECT_THAT(PathOf(built), ElementsAre("0 runs 11-50", "0 runs 10-11", "0 runs 0-10"));
}

TEST(WalkBack, EndsAtAThreadWhoseCreatorIsNotKnown) {
  LogBuilder built;
  const auto a = built.Thread(0, 50);
  const auto b = built.Thread(12, 40);
  built.Join(a, b, 20, 40);
  EXPECT_THAT(PathOf(built), ElementsAre("0 runs 40-50", "1 runs 12-40"));
  const CriticalModel model(built.Log());
  EXPECT_EQ(model.shares().times.unknown, 12'000'000);
}

TEST(WalkBack, ThreadsThatWakeEachOtherAtOneMomentEnd) {
  LogBuilder built;
  const auto a = built.Thread(0, 50);
  const auto b = built.Thread(0, 50);
  built.Wait(a, MomentKind::kMutexWait, 5, 10, 0x10);
  built.Wait(b, MomentKind::kMutexWait, 5, 10, 0x20);
  built.Point(b, MomentKind::kMutexUnlock, 10, 0x10);
  built.Point(a, MomentKind::kMutexUnlock, 10, 0x20);
  const auto path = PathOf(built);
  ASSERT_FALSE(path.empty());
  EXPECT_EQ(path.back().substr(path.back().size() - 3), "0-5");
}

}  // namespace
}  // namespace csink::critical
