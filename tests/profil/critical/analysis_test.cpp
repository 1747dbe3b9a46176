#include "profil/critical/analysis.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/profil/critical/log_builder.h"

/// File: shares, bounds, and when savings are predicted.

namespace csink::critical {
namespace {

using testing::Find;
using testing::LogBuilder;

/// A thread that works in the background has most CPU time; the main thread sleeps and works.
LogBuilder OffPath() {
  LogBuilder built;
  const auto a = built.Thread(0, 280);
  const auto b = built.Created(0, 250, a);
  built.Work(b, 1, 0, 250);
  for (int i = 0; i < 10; ++i) {
    built.Wait(a, MomentKind::kSleep, 28.0 * i, 28.0 * i + 20);
    built.Work(a, 0, 28.0 * i + 20, 28.0 * i + 28);
  }
  built.Join(a, b, 280, 280);
  return built;
}

TEST(Analysis, CodeBesideThePathSavesNothing) {
  const Analysis analysis = CriticalModel(OffPath().Log()).Analyse();
  EXPECT_EQ(analysis.forecast, Forecast::kMade);
  EXPECT_DOUBLE_EQ(analysis.run_seconds, 0.28);
  EXPECT_EQ(analysis.path.sleep, 200'000'000);
  EXPECT_EQ(analysis.path.work, 80'000'000);
  const PlaceShares* step = Find(analysis, 0);
  const PlaceShares* big = Find(analysis, 1);
  ASSERT_TRUE(step != nullptr && big != nullptr);
  EXPECT_EQ(analysis.places[0].place, 0u);
  EXPECT_NEAR(step->path, 80.0 / 280, 1e-9);
  EXPECT_NEAR(step->cpu, 80.0 / 330, 1e-9);
  EXPECT_NEAR(big->cpu, 250.0 / 330, 1e-9);
  EXPECT_EQ(big->path, 0);
  ASSERT_TRUE(step->has_saving && big->has_saving);
  EXPECT_LT(step->saving.low, 0.2 * 80 / 280);
  EXPECT_GT(step->saving.high, 0.2 * 80 / 280);
  EXPECT_LT(step->saving.high - step->saving.low, 0.025);
  EXPECT_LT(big->saving.high, 0.005);
}

TEST(Analysis, TheBoundsOfEqualThreadsBeginAtNothing) {
  LogBuilder built;
  const auto a = built.Thread(0, 100);
  const auto b = built.Created(0, 100, a);
  built.Work(a, 0, 0, 100);
  built.Work(b, 1, 0, 100);
  built.Join(a, b, 100, 100);
  const Analysis analysis = CriticalModel(built.Log()).Analyse();
  EXPECT_EQ(Find(analysis, 0)->saving.low, 0);
  EXPECT_NEAR(Find(analysis, 0)->saving.high, 0.2, 1e-9);
}

TEST(Analysis, WhereThreadsAreCrowdedCpuTimeCounts) {
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
  const CriticalModel model(built.Log());
  const Analysis analysis = model.Analyse();
  EXPECT_EQ(analysis.forecast, Forecast::kMade);
  EXPECT_NEAR(analysis.crowded, 0.9, 1e-6);
  EXPECT_EQ(analysis.path.preempted, 50'000'000);
  const Saving& saving = Find(analysis, 0)->saving;
  EXPECT_EQ(saving.path, 0);
  EXPECT_NEAR(saving.path_plus, 0.1, 1e-9);
  EXPECT_NEAR(saving.latency, 0.1, 1e-9);
  EXPECT_GE(saving.high, 0.1);
  EXPECT_NEAR(model.OnProcessors(2), 0.5, 0.001);
}

TEST(Analysis, TotalSharesCountAPlaceOnceASample) {
  LogBuilder built;
  const auto a = built.Thread(0, 100);
  built.raw.chains[3] = {3, 5, 5};
  built.Work(a, 3, 0, 60);
  built.Work(a, 5, 60, 100);
  const CriticalModel model(built.Log());
  const Analysis analysis = model.Analyse();
  EXPECT_NEAR(Find(analysis, 5)->path, 0.4, 1e-9);
  EXPECT_NEAR(Find(analysis, 5)->path_total, 1, 1e-9);
  EXPECT_NEAR(Find(analysis, 5)->cpu_total, 1, 1e-9);
  EXPECT_NEAR(model.Predict({5}, 0.5, true).path, 0.5, 1e-9);
  EXPECT_NEAR(model.Predict({5}, 0.5).path, 0.2, 1e-9);
}

TEST(Analysis, AtMostSoMuchIsSavedWithoutALock) {
  LogBuilder built;
  const auto a = built.Thread(0, 100);
  const auto b = built.Thread(0, 60);
  built.Work(b, 1, 0, 60);
  built.Point(b, MomentKind::kMutexUnlock, 60, 0x10);
  built.Wait(a, MomentKind::kMutexWait, 20, 60, 0x10);
  built.Work(a, 0, 0, 20);
  built.Work(a, 0, 60, 100);
  const CriticalModel model(built.Log());
  EXPECT_NEAR(model.MostWithout({0, 0x10}), 0.4, 1e-6);
  EXPECT_EQ(model.MostWithout({0, 0x99}), 0);
}

TEST(Analysis, OfAnUnknownPathNoSavingsArePredicted) {
  LogBuilder built;
  const auto a = built.Thread(0, 100);
  built.Work(a, 0, 0, 50);
  built.Work(a, 0, 61, 100);
  built.Wait(a, MomentKind::kConditionWait, 50, 61, 0x10);
  const Analysis analysis = CriticalModel(built.Log()).Analyse();
  EXPECT_EQ(analysis.forecast, Forecast::kUnknownPath);
  EXPECT_EQ(analysis.path.unknown, 11'000'000);
  EXPECT_FALSE(Find(analysis, 0)->has_saving);
  EXPECT_EQ(analysis.waits.unknown, 11'000'000);
  built.raw.moments[0].end_ns = LogBuilder::Ns(60);
  EXPECT_EQ(CriticalModel(built.Log()).Analyse().forecast, Forecast::kMade);
}

TEST(Analysis, OfFewSamplesNoSavingsArePredicted) {
  LogBuilder built;
  const auto a = built.Thread(0, 100);
  built.Work(a, 0, 0, 29);
  EXPECT_EQ(CriticalModel(built.Log()).Analyse().forecast, Forecast::kFewSamples);
  built.Work(a, 0, 29, 30);
  EXPECT_EQ(CriticalModel(built.Log()).Analyse().forecast, Forecast::kMade);
}

TEST(Analysis, OfALogThatCannotBeReplayedNoSavingsArePredicted) {
  // Two threads ran at the same time; the log says that there is one processor.
  LogBuilder built(1);
  const auto a = built.Thread(0, 100);
  const auto b = built.Created(0, 100, a);
  built.Work(a, 0, 0, 100);
  built.Work(b, 1, 0, 100);
  built.Join(a, b, 100, 100);
  const Analysis analysis = CriticalModel(built.Log()).Analyse();
  EXPECT_EQ(analysis.forecast, Forecast::kReplayDiffers);
  EXPECT_NEAR(analysis.delayed_ratio, 2, 0.01);
}

TEST(Analysis, WaitsByHowTheirEndIsKnown) {
  LogBuilder built;
  const auto a = built.Thread(0, 100);
  const auto b = built.Thread(0, 100);
  built.Wait(a, MomentKind::kSleep, 5, 10);
  built.Wait(a, MomentKind::kMutexWait, 20, 23, 0x10);
  built.Point(b, MomentKind::kMutexUnlock, 23, 0x10);
  built.Wait(a, MomentKind::kPollWait, 40, 42);
  const Analysis analysis = CriticalModel(built.Log()).Analyse();
  EXPECT_EQ(analysis.waits.waits, 3u);
  EXPECT_EQ(analysis.waits.outside, 5'000'000);
  EXPECT_EQ(analysis.waits.hook, 3'000'000);
  EXPECT_EQ(analysis.waits.inferred, 2'000'000);
  // The path goes over to b at 42 and stays there; a's wait began at 40.
  EXPECT_EQ(analysis.path.inferred, 2'000'000);
}

}  // namespace
}  // namespace csink::critical
