#include "symbolizer/report/verdict/explained.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "symbolizer/report/text/text.h"
#include "symbolizer/report/verdict/verdict.h"
#include "tests/symbolizer/report/sample_reports.h"

namespace csink::report {
namespace {

using namespace csink::testing;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::uint64_t kSecond = 1'000'000'000;

/// Cycles that were due, and counted, for a second; all of them are sampled.
EventTotals Cycles() {
  EventTotals event;
  event.name = "cycles:u";
  event.kind = EventClass::kCycles;
  event.frequency_hz = 1000;
  event.samples = 1000;
  event.weight = 3 * kSecond;
  event.enabled_ns = event.running_ns = event.due_ns = kSecond;
  return event;
}

Verdict JudgeOne(const EventTotals& event) {
  Profile profile;
  profile.events.push_back(event);
  profile.processes.emplace_back();
  profile.processes[0].user_ns = kSecond;
  profile.processes[0].threads_seen = profile.processes[0].threads_sampled = 1;
  profile.processes[0].source = spool::Source::kRing;
  return Judge(profile);
}

std::string NotesOf(const Verdict& verdict) {
  std::string text;
  for (const std::string& note : verdict.notes) text += note + "\n";
  return text;
}

TEST(Explain, IsTheWholeWhereEverythingWasCountedAndSampled) {
  const auto explained = Explain(Cycles());
  ASSERT_TRUE(explained);
  EXPECT_EQ(explained->event, "cycles");
  EXPECT_DOUBLE_EQ(explained->share, 1);
  EXPECT_DOUBLE_EQ(ScaleOf(Cycles()), 1);
  EXPECT_DOUBLE_EQ(MissingPart(Cycles()), 0);
  EXPECT_EQ(JudgeOne(Cycles()).grade, Grade::kGood);
}

TEST(Explain, KnowsNothingOfSoftwareEventsAndOfTooShortATime) {
  EventTotals event = Cycles();
  event.due_ns = 0;
  EXPECT_FALSE(Explain(event));
  event.due_ns = 19'000'000;
  EXPECT_FALSE(Explain(event));
  EXPECT_DOUBLE_EQ(ScaleOf(event), 1);
}

// `csink run -e cycles@6500`: 132 throttles, 1.3 % of the samples, and the verdict was "good".
TEST(Explain, TakesThrottledTimeForMissing) {
  EventTotals event = Cycles();
  event.frequency_hz = 0;
  event.period = 6500;
  event.due_ns = event.enabled_ns = event.running_ns = 400'000'000;
  event.samples = 3166;
  event.weight = event.samples * event.period;
  event.throttled = 132;
  event.throttled_ns = 394'800'000;
  event.rate_limit_hz = 6000;
  const auto explained = Explain(event);
  ASSERT_TRUE(explained);
  EXPECT_NEAR(explained->share, 0.013, 1e-9);
  EXPECT_NEAR(static_cast<double>(event.weight) * ScaleOf(event), 1.583e9, 1e6);
  const Verdict verdict = JudgeOne(event);
  EXPECT_EQ(verdict.grade, Grade::kPoor);
  EXPECT_NEAR(*verdict.explained_share, 0.013, 1e-9);
  EXPECT_THAT(
      NotesOf(verdict),
      AllOf(
          HasSubstr("cycles was throttled: the kernel stopped the event for 98.7% of the CPU time"),
          HasSubstr("the kernel allows 6,000 samples a second"), HasSubstr("cycles@3000Hz")));
}

TEST(Explain, TakesTimeWithoutACounterForMissing) {
  EventTotals event = Cycles();
  event.running_ns = 610'000'000;
  event.weight = event.weight * 61 / 100;
  EXPECT_NEAR(Explain(event)->share, 0.61, 1e-9);
  EXPECT_NEAR(static_cast<double>(event.weight) * ScaleOf(event), 3e9, 1e6)
      << "amounts are scaled to the whole";
  EXPECT_DOUBLE_EQ(MissingPart(event), 0) << "turns of counters have nothing to do with the code";
  const Verdict verdict = JudgeOne(event);
  EXPECT_EQ(verdict.grade, Grade::kPoor);
  EXPECT_THAT(NotesOf(verdict), HasSubstr("cycles had no counter for 39.0% of the CPU time"));
}

TEST(Explain, TakesWhatWasCountedAndNotSampledForMissing) {
  EventTotals event = Cycles();
  event.unsampled = event.weight;
  EXPECT_DOUBLE_EQ(Explain(event)->share, 0.5);
}

TEST(Explain, DoesNotBelieveACycleCounterThatStandsStill) {
  EventTotals event = Cycles();
  event.samples = event.weight = 0;
  EXPECT_EQ(Explain(event)->share, 0);
  EXPECT_DOUBLE_EQ(ScaleOf(event), 1);
  EXPECT_THAT(NotesOf(JudgeOne(event)), HasSubstr("cycles counted nothing"));
  event.name = "cache-misses:u";
  event.kind = EventClass::kCacheMisses;
  EXPECT_EQ(Explain(event)->share, 1) << "a program may have none";
}

TEST(Explain, StaysInItsRangeWhateverASpoolSays) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 2000; ++i) {
    EventTotals event = Cycles();
    for (std::uint64_t* field : {&event.weight, &event.due_ns, &event.running_ns,
                                 &event.throttled_ns, &event.unsampled, &event.rate_limit_hz}) {
      *field = random() >> random() % 64;
    }
    const auto explained = Explain(event);
    if (!explained) continue;
    EXPECT_GE(explained->share, 0);
    EXPECT_LE(explained->share, 1);
    EXPECT_GE(MissingPart(event), 0);
    EXPECT_LE(MissingPart(event), 1);
    EXPECT_GE(ScaleOf(event), 1);
    EXPECT_LE(ScaleOf(event), kMostScale);
  }
}

TEST(Verdict, IsNeverGoodBelow95PercentOfAnyEvent) {
  Profile profile;
  profile.events = {Cycles(), Cycles()};
  profile.events[1].name = "instructions:u";
  profile.events[1].kind = EventClass::kInstructions;
  profile.processes.emplace_back();
  profile.processes[0].user_ns = kSecond;
  profile.processes[0].threads_seen = profile.processes[0].threads_sampled = 1;
  for (std::uint64_t percent = 0; percent <= 100; percent += 5) {
    profile.events[1].throttled_ns = kSecond / 100 * (100 - percent);
    const Verdict verdict = Judge(profile);
    EXPECT_EQ(verdict.grade == Grade::kGood, percent >= 95) << percent;
    EXPECT_NEAR(*verdict.explained_share, static_cast<double>(percent) / 100, 1e-9);
  }
}

TEST(Verdict, NamesEachEventThatNeedsACounter) {
  SpoolBuilder b = PmuSpool();
  for (std::size_t i = 0; i < 2; ++i) {
    b.event(i).due_ns = b.event(i).enabled_ns = b.event(i).running_ns = kSecond;
  }
  b.event(1).running_ns = kSecond / 5 * 4;
  const std::string text = WriteText(Make(b, {}), {});
  EXPECT_THAT(text, AllOf(HasSubstr("explain 100.0% of the cycles, 80.0% of the"),
                          Not(HasSubstr("no clock event"))));
}

// Half of the time is lost to throttling, and all of it in one function.
TEST(FinishInterval, HoldsTheTruthWhereverThrottledEventsLie) {
  SpoolBuilder b;
  b.event(0).kind = EventClass::kCycles;
  b.event(0).period = 1000;
  b.event(0).due_ns = b.event(0).enabled_ns = b.event(0).running_ns = kSecond;
  b.event(0).throttled_ns = kSecond / 2;
  const auto app = b.AddRegion({.path = "/bin/app", .start = 0x400000, .end = 0x500000});
  b.AddHits(app, 1, 0x401000, 5000);
  b.AddHits(app, 1, 0x402000, 5000);
  FakeResolver names;
  names.Add("/bin/app", 0x1000, {.end = 0x2000, .name = "f"});
  names.Add("/bin/app", 0x2000, {.end = 0x3000, .name = "g"});
  const Report report = Make(b, names);
  for (const FunctionRow& row : report.functions) {
    EXPECT_LE(row.events[0].low, 0.25) << row.function;
    EXPECT_GE(row.events[0].high, 0.75) << row.function;
    EXPECT_GE(row.events[0].low, 0.23);
    EXPECT_LE(row.events[0].high, 0.77);
  }
}

TEST(Derive, ComparesEstimatedTotalsWhereEventsWereCountedForDifferentTimes) {
  SpoolBuilder b = PmuSpool();
  for (std::size_t i = 0; i < 2; ++i) {
    b.event(i).due_ns = b.event(i).enabled_ns = b.event(i).running_ns = kSecond;
  }
  const Report whole = Make(b, {});
  b.event(1).running_ns = kSecond / 2;
  const Report half = Make(b, {});
  ASSERT_EQ(whole.derived[0].key, std::string("ipc"));
  ASSERT_TRUE(whole.functions[0].derived[0]);
  EXPECT_NEAR(*half.functions[0].derived[0], 2 * *whole.functions[0].derived[0], 1e-9);
}

}  // namespace
}  // namespace csink::report
