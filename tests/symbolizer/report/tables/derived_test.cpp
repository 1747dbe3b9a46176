#include "symbolizer/report/tables/derived.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string_view>

#include "tests/symbolizer/report/sample_reports.h"

namespace csink::report {
namespace {

using namespace csink::testing;

Profile Sampled(const std::vector<std::pair<std::string, EventClass>>& events) {
  Profile profile;
  for (const auto& [name, kind] : events) {
    profile.events.emplace_back();
    profile.events.back().name = name;
    profile.events.back().kind = kind;
  }
  return profile;
}

std::vector<std::string> KeysOf(const Profile& profile) {
  std::vector<std::string> keys;
  for (const DerivedColumn& column : DeriveColumns(profile)) keys.push_back(column.key);
  return keys;
}

TEST(DeriveColumns, AreWhatTheEventsAllow) {
  using Keys = std::vector<std::string>;
  EXPECT_EQ(KeysOf(Sampled({{"cycles:u", EventClass::kCycles}})), Keys{});
  EXPECT_EQ(KeysOf(Sampled({{"instructions:u", EventClass::kInstructions},
                            {"cycles:u", EventClass::kCycles}})),
            Keys{"ipc"});
  EXPECT_EQ(KeysOf(Sampled({{"branches:u", EventClass::kBranches},
                            {"branch-misses:u", EventClass::kBranchMisses}})),
            Keys{"branch_miss_share"});
  EXPECT_EQ(KeysOf(Sampled({{"cache-misses", EventClass::kCacheMisses},
                            {"cache-references", EventClass::kCacheReferences}})),
            Keys{"cache_miss_share"});
  EXPECT_EQ(KeysOf(Sampled({{"cycles:u", EventClass::kCycles},
                            {"task-clock:u", EventClass::kClock},
                            {"page-faults", EventClass::kPageFaults}})),
            (Keys{"ghz", "page_faults_per_second"}));
}

TEST(DeriveColumns, KnowCacheAndStallEventsByTheirNames) {
  using Keys = std::vector<std::string>;
  EXPECT_EQ(KeysOf(Sampled({{"L1-dcache-loads:u", EventClass::kOther},
                            {"perf::L1-DCACHE-LOAD-MISSES:u", EventClass::kOther}})),
            Keys{"l1_load_miss_share"});
  EXPECT_EQ(KeysOf(Sampled({{"perf::PERF_COUNT_HW_CACHE_DTLB:READ:MISS:u", EventClass::kOther},
                            {"instructions:u", EventClass::kInstructions}})),
            Keys{"dtlb_load_misses_per_1000_instructions"});
  EXPECT_EQ(KeysOf(Sampled({{"stalled-cycles-backend:u", EventClass::kOther},
                            {"cycles:u", EventClass::kCycles}})),
            Keys{"backend_stall_share"});
  EXPECT_EQ(KeysOf(Sampled({{"", EventClass::kOther}, {"::", EventClass::kOther}})), Keys{});
}

/// A report of two functions with these samples of cycles and instructions.
Report TwoFunctions(const std::vector<std::uint64_t>& cycles,
                    const std::vector<std::uint64_t>& instructions,
                    std::uint64_t throttled_ns = 0) {
  SpoolBuilder b;
  SetText(b.event(0).name, "cycles:u");
  b.event(0).kind = EventClass::kCycles;
  b.event(0).period = 2'000'003;
  if (throttled_ns != 0) {
    b.event(0).due_ns = b.event(0).enabled_ns = b.event(0).running_ns = 1'000'000'000;
    b.event(0).throttled_ns = throttled_ns;
  }
  b.AddEvent("instructions:u", EventClass::kInstructions, 1'000'003);
  const auto app = b.AddRegion({.path = "/bin/app", .start = 0x400000, .end = 0x500000});
  for (std::size_t i = 0; i < 2; ++i) {
    if (cycles[i] > 0) b.AddHits(app, 1, 0x401000 + 0x1000 * i, cycles[i], 0);
    if (instructions[i] > 0) b.AddHits(app, 1, 0x401000 + 0x1000 * i, instructions[i], 1);
  }
  FakeResolver names;
  names.Add("/bin/app", 0x1000, {.end = 0x2000, .name = "f"});
  names.Add("/bin/app", 0x2000, {.end = 0x3000, .name = "g"});
  return Make(b, names);
}

const FunctionRow& RowOf(const Report& report, std::string_view function) {
  return *std::find_if(report.functions.begin(), report.functions.end(),
                       [&](const FunctionRow& row) { return row.function == function; });
}

// A function with 30 % of the cycles and 60 % of the instructions, in a program of IPC 1.
TEST(Derive, TheIntervalHoldsTheTrueIpcInAbout95PercentOfRuns) {
  std::mt19937_64 random(8);
  constexpr int kCycles = 1000;
  constexpr int kInstructions = 2000;
  std::binomial_distribution<std::uint64_t> cycles(kCycles, 0.3);
  std::binomial_distribution<std::uint64_t> instructions(kInstructions, 0.6);
  const double truth = 0.6 * kInstructions * 1'000'003 / (0.3 * kCycles * 2'000'003);
  int covered = 0;
  constexpr int kTrials = 1000;
  for (int i = 0; i < kTrials; ++i) {
    const std::uint64_t c = cycles(random);
    const std::uint64_t n = instructions(random);
    const Report report = TwoFunctions({c, kCycles - c}, {n, kInstructions - n});
    const Interval interval = RowOf(report, "f").derived_intervals[0];
    covered += interval.low <= truth && truth <= interval.high;
  }
  EXPECT_NEAR(covered / double{kTrials}, 0.95, 0.025);
}

TEST(Derive, WithoutSamplesBelowThereIsNoRatioAndWithoutSomeAboveABound) {
  const Report report = TwoFunctions({100, 0}, {0, 50});
  const FunctionRow& f = RowOf(report, "f");
  ASSERT_TRUE(f.derived[0]);
  EXPECT_EQ(*f.derived[0], 0);
  EXPECT_EQ(f.derived_intervals[0].low, 0);
  // About 3.8 samples' worth of instructions in 100 samples' worth of cycles.
  EXPECT_NEAR(f.derived_intervals[0].high, 3.84 * 1'000'003 / (100 * 2'000'003.0), 0.003);
  EXPECT_FALSE(RowOf(report, "g").derived[0]);
}

// Throttling stopped the cycles for 0.4 s of 1 s, and 600 samples were taken in the rest: the 400
// that are missing may all be f's, or all g's.
TEST(Derive, TheIntervalHoldsWhereverTheThrottledPartBelongs) {
  const Report report = TwoFunctions({300, 300}, {1000, 1000}, 400'000'000);
  for (const char* function : {"f", "g"}) {
    const Interval interval = RowOf(report, function).derived_intervals[0];
    const double instructions = 1000 * 1'000'003.0;
    EXPECT_LE(interval.low, instructions / (700 * 2'000'003.0)) << function;
    EXPECT_GE(interval.high, instructions / (300 * 2'000'003.0)) << function;
    EXPECT_GE(interval.low, 0.8 * instructions / (700 * 2'000'003.0)) << "no wider than it must be";
    EXPECT_LE(interval.high, 1.2 * instructions / (300 * 2'000'003.0))
        << "no wider than it must be";
  }
}

}  // namespace
}  // namespace csink::report
