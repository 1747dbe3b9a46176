#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "symbolizer/report/compare/compare.h"
#include "symbolizer/report/json/json.h"
#include "tests/symbolizer/report/sample_reports.h"
#include "tests/symbolizer/report/waiting_sample.h"

namespace csink::report {
namespace {

using namespace csink::testing;

const ChangeRow* RowOf(const Comparison& comparison, const std::string& function) {
  for (const ChangeRow& row : comparison.functions) {
    if (row.function == function) return &row;
  }
  return nullptr;
}

/// `counts`: samples of the functions f0, f1, ...
SpoolBuilder Counted(const std::vector<std::uint64_t>& counts) {
  SpoolBuilder b;
  const auto app = b.AddRegion({.path = "/bin/app", .start = 0x400000, .end = 0x500000});
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] > 0) b.AddHits(app, 1, 0x400000 + 0x1000 * i, counts[i]);
  }
  return b;
}

Report Named(const SpoolBuilder& b, std::size_t functions) {
  FakeResolver names;
  for (std::size_t i = 0; i < functions; ++i) {
    names.Add("/bin/app", 0x1000 * i,
              {.end = 0x1000 * i + 0x1000, .name = "f" + std::to_string(i)});
  }
  return Make(b, names);
}

TEST(Compare, FindsWhatChangedAndWhatIsNewOrGone) {
  const Report before = Named(Counted({500, 300, 200, 0}), 4);
  const Report now = Named(Counted({600, 300, 0, 100}), 4);
  const Comparison comparison = Compare(now, BaselineOf(before), "x");
  EXPECT_EQ(comparison.event, "task-clock:u");
  EXPECT_DOUBLE_EQ(*comparison.ratio, 1);
  const ChangeRow* f0 = RowOf(comparison, "f0");
  ASSERT_TRUE(f0);
  EXPECT_NEAR(f0->change, 0.1, 1e-12);
  EXPECT_LT(f0->ratio.low, 1.2);
  EXPECT_GT(f0->ratio.high, 1.2);
  EXPECT_FALSE(RowOf(comparison, "f2")->share);
  EXPECT_FALSE(RowOf(comparison, "f3")->was);
  EXPECT_EQ(comparison.functions[0].function, "f2");  // the largest change first
  for (const ChangeRow& row : comparison.functions) {
    EXPECT_FALSE(row.significant) << row.function << ": one run each is not judged";
  }
}

TEST(Compare, TakesTheVersionsOfALibraryForOne) {
  Report now = Make(XzSpool(), XzNames());
  Baseline baseline = BaselineOf(now);
  for (auto& function : baseline.functions) {
    if (function.module == "liblzma.so.5.4.1") function.module = "liblzma.so.5.2.0";
  }
  for (const ChangeRow& row : Compare(now, baseline, "x").functions) {
    EXPECT_TRUE(row.share && row.was) << row.function;
    EXPECT_NEAR(row.change, 0, 1e-12);
  }
}

TEST(Compare, SaysSoWhenNoEventIsTheSame) {
  const Comparison comparison =
      Compare(Make(XzSpool(), XzNames()), BaselineOf(Make(PmuSpool(), PmuNames())), "x");
  EXPECT_EQ(comparison.event, "");
  EXPECT_TRUE(comparison.functions.empty());
  EXPECT_TRUE(comparison.ratio);
}

TEST(Compare, FindsTheEventWhereverItStands) {
  SpoolBuilder b = PmuSpool();
  const Report now = Make(b, PmuNames());
  Baseline baseline = BaselineOf(now);
  std::swap(baseline.events[0], baseline.events[1]);
  for (auto& function : baseline.functions) std::swap(function.shares[0], function.shares[1]);
  const Comparison comparison = Compare(now, baseline, "x");
  EXPECT_EQ(comparison.event, "cycles:u");
  for (const ChangeRow& row : comparison.functions) EXPECT_NEAR(row.change, 0, 1e-12);
}

TEST(ParseBaseline, TakesAReportOfOurs) {
  const Report report = Make(XzSpool(), XzNames());
  const auto parsed = ParseBaseline(WriteJson(report));
  ASSERT_TRUE(parsed) << parsed.error().what;
  const Baseline direct = BaselineOf(report);
  EXPECT_EQ(parsed->command, direct.command);
  EXPECT_DOUBLE_EQ(parsed->cpu_seconds, direct.cpu_seconds);
  ASSERT_EQ(parsed->functions.size(), direct.functions.size());
  for (std::size_t i = 0; i < direct.functions.size(); ++i) {
    EXPECT_EQ(parsed->functions[i].function, direct.functions[i].function);
    EXPECT_DOUBLE_EQ(parsed->functions[i].shares[0], direct.functions[i].shares[0]);
  }
}

TEST(ParseBaseline, RefusesWhatIsNone) {
  for (const std::string text :
       {"", "{}", "[1]", "{\"format\": 3}", "\xff\xfe", "{\"format\": \"csink-report\"}",
        "{\"format\":\"csink-report\","
        "\"version\":1}"}) {
    EXPECT_FALSE(ParseBaseline(text)) << text;
  }
  EXPECT_EQ(ParseBaseline("{\"format\":\"csink-report\",\"version\":2}").error().code,
            Errc::kUnsupported);
}

TEST(ParseBaseline, SurvivesAnyTypes) {
  const auto parsed = ParseBaseline(
      "{\"format\":\"csink-report\",\"version\":1,\"command\":7,\"user_seconds\":\"x\","
      "\"events\":[3,{\"name\":[],\"effective_samples\":-1}],"
      "\"functions\":[0,{\"function\":{},\"events\":[1,{\"share\":1e308},{\"share\":\"x\"}]},{}]}");
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->events.size(), 1u);
  ASSERT_EQ(parsed->functions.size(), 2u);
  EXPECT_EQ(parsed->functions[1].shares.size(), 1u);
  (void)Compare(Make(XzSpool(), XzNames()), *parsed, "x");
}

TEST(Baseline, HasTheWaitsOfAReportAndOfItsJson) {
  const Report report = Make(WaitingSpool(), WaitingNames());
  const Baseline direct = WaitsOf(BaselineOf(report));
  const auto parsed = ParseBaseline(WriteJson(report));
  ASSERT_TRUE(parsed);
  const Baseline read = WaitsOf(*parsed);
  ASSERT_EQ(direct.events.size(), 1u);
  ASSERT_EQ(read.events.size(), 1u);
  EXPECT_EQ(direct.events[0].name, kBlockedTime);
  EXPECT_NEAR(direct.events[0].effective_samples, read.events[0].effective_samples, 1e-6);
  EXPECT_NEAR(direct.events[0].weight, report.waits->blocked_seconds * 1e9, 1);
  ASSERT_EQ(direct.functions.size(), read.functions.size());
  double all = 0;
  for (std::size_t i = 0; i < direct.functions.size(); ++i) {
    EXPECT_EQ(direct.functions[i].function, read.functions[i].function);
    EXPECT_NEAR(direct.functions[i].shares[0], read.functions[i].shares[0], 1e-9);
    all += direct.functions[i].shares[0];
  }
  EXPECT_NEAR(all, 1, 1e-6);
  EXPECT_TRUE(WaitsOf(BaselineOf(Make(XzSpool(), XzNames()))).events.empty());
}

TEST(Compare, FindsWhatIsWaitedForMore) {
  const Baseline before = WaitsOf(BaselineOf(Make(WaitingSpool(), WaitingNames())));
  Baseline now = before;
  // The time for one lock is ten times as long.
  for (Baseline::Function& row : now.functions) {
    if (row.function == "lookup: mutex table_lock") row.shares[0] *= 10;
  }
  double all = 0;
  for (const Baseline::Function& row : now.functions) all += row.shares[0];
  for (Baseline::Function& row : now.functions) row.shares[0] /= all;
  now.events[0].weight *= all;
  // Runs of one program are never quite the same.
  const auto runs = [](const Baseline& run) {
    std::vector<Baseline> list(4, run);
    for (std::size_t i = 0; i < list.size(); ++i) {
      list[i].events[0].weight *= 1 + 0.001 * static_cast<double>(i);
    }
    return list;
  };
  const Comparison comparison = CompareRuns(runs(now), runs(before), By::kWaits);
  EXPECT_EQ(comparison.unit, "wait");
  EXPECT_EQ(comparison.event, kBlockedTime);
  const ChangeRow* lock = RowOf(comparison, "lookup: mutex table_lock");
  ASSERT_TRUE(lock);
  EXPECT_TRUE(lock->significant);
  EXPECT_NEAR(lock->amount / lock->was_amount, 10, 1e-6);
  const ChangeRow* other = RowOf(comparison, "read_input: read of a pipe");
  ASSERT_TRUE(other);
  EXPECT_FALSE(other->significant);
}

}  // namespace
}  // namespace csink::report
