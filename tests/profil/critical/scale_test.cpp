#include <gtest/gtest.h>

#include <random>

#include "profil/critical/analysis.h"
#include "tests/profil/critical/log_builder.h"

/// File: logs that are large or senseless. A quadratic step would run into the time limit of the
/// test.

namespace csink::critical {
namespace {

using testing::LogBuilder;

TEST(Scale, TenThousandThreadsAtOneBarrierAndOneHandle) {
  constexpr std::uint32_t kThreads = 10'000;
  LogBuilder built(64);
  built.Thread(0, 100);
  for (std::uint32_t i = 1; i < kThreads; ++i) {
    built.Created(0, 100, 0);
    built.raw.threads.back().handle = 0x42;
    built.Wait(i, MomentKind::kBarrierWait, 10 + 0.001 * i, 30, 0x10);
    built.Wait(i, MomentKind::kBarrierWait, 40, 40.0 + 0.001 * i, 0x10);
    built.Wait(0, MomentKind::kJoinWait, 100, 100, 0x42);
  }
  built.Work(0, 0, 0, 100);
  const CriticalModel model(built.Log());
  EXPECT_LT(model.replay().nodes(), 12u * kThreads);
  EXPECT_EQ(model.waits().wakers.size(), 2u * (kThreads - 1) + kThreads - 1);
}

TEST(Scale, AQueueOfManyWaiters) {
  constexpr std::uint32_t kWaiters = 20'000;
  LogBuilder built;
  const auto a = built.Thread(0, 100);
  const auto b = built.Thread(0, 100);
  for (std::uint32_t i = 0; i < kWaiters; ++i) {
    built.Wait(b, MomentKind::kSemaphoreWait, 0.001 * i, 99, 0x10);
    built.Point(b, MomentKind::kSemaphorePost, 50, 0x10);
    built.Point(a, MomentKind::kSemaphorePost, 60, 0x10);
  }
  const CriticalModel model(built.Log());
  EXPECT_EQ(model.waits().waits.Of(b).size(), 1u);
}

TEST(Scale, RandomRecordsDoNotCrashAndEnd) {
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    std::mt19937_64 random(seed);
    const auto below = [&](std::uint64_t most) { return random() % most; };
    RawLog raw;
    raw.processors = static_cast<std::uint32_t>(below(4));
    for (std::uint32_t i = 0; i < 3; ++i) raw.processes.push_back({i + 1});
    for (std::uint32_t i = 0; i < 6; ++i) {
      raw.threads.push_back({static_cast<std::uint32_t>(below(4)), i, below(3) + 1,
                             static_cast<std::int64_t>(below(100'000)),
                             static_cast<std::int64_t>(below(10'000'000))});
    }
    raw.chains = {{0}, {1, 0}, {0xffffffff}, {0xfffffff0, 1}, {}};
    raw.spins = {false, seed % 2 == 0};
    raw.period_ns = seed % 3 == 0 ? 0 : 1000;
    // Few objects and a narrow time, so that all meet; some values out of range.
    const auto time = [&]() -> std::int64_t {
      if (below(200) == 0) return static_cast<std::int64_t>(random());
      return static_cast<std::int64_t>(below(5'000'000));
    };
    for (int i = 0; i < 2000; ++i) {
      const auto kind = static_cast<MomentKind>(below(2) == 0 ? below(18) : 60 + below(20));
      raw.moments.push_back({time(), time(), below(4), below(6),
                             static_cast<std::uint32_t>(below(7)), kind,
                             static_cast<std::uint32_t>(below(4))});
      raw.samples.push_back(
          {time(), static_cast<std::uint32_t>(below(7)), static_cast<std::uint32_t>(below(6))});
      raw.switches.push_back(
          {time(), static_cast<std::uint32_t>(below(7)), static_cast<SwitchKind>(below(5))});
    }
    raw.lost_switches.push_back({0, time(), time()});
    const CriticalModel model(MakeLog(raw));
    const Analysis analysis = model.Analyse();
    EXPECT_GE(model.MostWithout({0, 1}), 0);
    const Saving saving = model.Predict({0, 1, 999}, 0.5, seed % 2 == 0);
    EXPECT_LE(saving.low, saving.high) << seed;
    EXPECT_GE(analysis.path.unknown, 0) << seed;
  }
}

TEST(Scale, AWaitOfDays) {
  LogBuilder built;
  const auto a = built.Thread(0, 4.0 * 86'400'000);
  built.Wait(a, MomentKind::kSleep, 100, 4.0 * 86'400'000 - 100);
  built.Work(a, 0, 0, 100);
  const Analysis analysis = CriticalModel(built.Log()).Analyse();
  EXPECT_NEAR(analysis.run_seconds, 4.0 * 86'400, 1e-3);
  EXPECT_EQ(analysis.forecast, Forecast::kMade);
}

}  // namespace
}  // namespace csink::critical
