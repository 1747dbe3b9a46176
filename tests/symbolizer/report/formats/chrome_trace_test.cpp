#include <gmock/gmock.h>

#include <map>
#include <nlohmann/json.hpp>

#include "symbolizer/report/tables/thread_trace.h"
#include "tests/symbolizer/report/formats/timed_report.h"
#include "tests/symbolizer/report/formats/written.h"

namespace csink::testing {
namespace {

using Json = nlohmann::json;
using ::testing::HasSubstr;

Json Read(const report::Report& report, const report::FormatOptions& options = {}) {
  return Json::parse(Written(report, ReportFormat::kChromeTrace, options));
}

/// Microseconds of each state of a thread.
std::map<std::string, double> StatesOf(const Json& trace, std::uint32_t tid) {
  std::map<std::string, double> sums;
  for (const Json& event : trace["traceEvents"]) {
    if (event["ph"] == "X" && event["tid"] == tid) {
      sums[event["name"].get<std::string>()] += event["dur"].get<double>();
    }
  }
  return sums;
}

std::string FactsOf(const Json& trace) {
  std::string facts;
  for (const Json& fact : trace["otherData"]) facts += fact.get<std::string>() + "\n";
  return facts;
}

TEST(ChromeTrace, HasWhatThreadsDid) {
  const Json trace = Read(MakeTimedReport());
  auto main = StatesOf(trace, 4711);
  EXPECT_NEAR(main["running"], 30e3, 1);
  // From 10 ms to the unlock at 500 ms; then it could run.
  EXPECT_NEAR(main["blocked: mutex"], 490e3, 1);
  EXPECT_NEAR(main["runnable"], 10e3, 1);
  auto worker = StatesOf(trace, 4712);
  EXPECT_NEAR(worker["running"], 30e3, 1);
  EXPECT_NEAR(worker["blocked: sleep"], 500e3, 1);
  for (const Json& event : trace["traceEvents"]) {
    if (event["name"] != "blocked: mutex") continue;
    EXPECT_EQ(event["args"]["object"], "0x5000");
    EXPECT_EQ(event["args"]["ended by"], "B 4712");
    EXPECT_NEAR(event["ts"].get<double>(), 10e3, 0.001);
  }
}

TEST(ChromeTrace, HasSamplesMarksAndNames) {
  const Json trace = Read(MakeTimedReport());
  std::size_t samples = 0, marks = 0, names = 0;
  for (const Json& event : trace["traceEvents"]) {
    if (event["ph"] == "M") {
      names += event["args"]["name"] == "app";
    } else if (event["ph"] == "i" && event["cat"] == "sample") {
      ++samples;
      EXPECT_EQ(event["args"]["weight"], 1'000'000);
      EXPECT_EQ(event["args"]["stack"].size(), 2u);
      EXPECT_EQ(event["args"]["stack"][0], event["name"]);
      EXPECT_EQ(event["args"]["stack"][1], "main");
      EXPECT_EQ(event["name"] == "A", event["ts"].get<double>() < 11e3);
    } else if (event["ph"] == "i") {
      ++marks;
      EXPECT_EQ(event["name"], "B");
      EXPECT_EQ(event["ts"], 510e3);
    }
  }
  EXPECT_EQ(samples, 60u);
  EXPECT_EQ(marks, 1u);
  EXPECT_EQ(names, 2u);  // the process and its main thread
  EXPECT_THAT(FactsOf(trace), HasSubstr("\nverdict "));
  EXPECT_THAT(FactsOf(trace), HasSubstr("times are recorded"));
}

TEST(ChromeTrace, SaysWhatWasNotRecorded) {
  SpoolBuilder spool;
  const auto region = spool.AddRegion({.path = "/bin/app", .start = 0, .end = 0x4000});
  spool.AddHits(region, 1, 0x1000, 100);
  auto& slices = spool.AddThreadSlices(1);
  slices.slices[3].run_us = 25'000;
  slices.slices[3].wait_us = 50'000;
  slices.slices[3].blocked_us = 25'000;
  const Json trace = Read(MakeAll({&spool}, FakeResolver()));
  EXPECT_TRUE(StatesOf(trace, 4711).empty());
  EXPECT_THAT(FactsOf(trace), HasSubstr("times were not recorded"));
  EXPECT_THAT(FactsOf(trace), HasSubstr("was not recorded (csink run --critical)"));
  bool found = false;
  for (const Json& event : trace["traceEvents"]) {
    if (event["ph"] != "C" || event["ts"] != 300e3) continue;
    found = true;
    EXPECT_NEAR(event["args"]["running"].get<double>(), 0.25, 1e-6);
    EXPECT_NEAR(event["args"]["runnable"].get<double>(), 0.5, 1e-6);
    EXPECT_NEAR(event["args"]["blocked"].get<double>(), 0.25, 1e-6);
  }
  EXPECT_TRUE(found);
}

TEST(ChromeTrace, IsBounded) {
  // Ten minutes of threads that each block 100 times.
  constexpr std::uint32_t kThreads = 200, kTurns = 100, kMost = 10'000;
  constexpr std::uint64_t kTurnNs = 6'000'000'000;
  SpoolBuilder spool;
  spool.header().timed.recorded = 1;
  const std::uint64_t start = spool.header().start_monotonic_ns;
  for (std::uint32_t tid = 10'000; tid < 10'000 + kThreads; ++tid) {
    for (std::uint64_t turn = 0; turn < kTurns; ++turn) {
      // It runs for 20 us, and every tenth time for 20 ms.
      const std::uint64_t ran = turn % 10 == 0 ? 20'000'000 : 20'000;
      spool.AddSwitch({start + turn * kTurnNs, tid, spool::SwitchKind::kIn});
      spool.AddSwitch({start + turn * kTurnNs + ran, tid, spool::SwitchKind::kOutBlocked});
    }
  }
  const auto report = MakeAll({&spool}, FakeResolver());
  EXPECT_EQ(report::MakeThreadTrace(report).shortest_ns, 0u);
  const auto trace = report::MakeThreadTrace(report, kMost);
  EXPECT_EQ(trace.threads.size(), kThreads + 1);
  EXPECT_LE(trace.slices, kMost);
  EXPECT_GT(trace.slices, kThreads * 10);
  EXPECT_GT(trace.shortest_ns, 20'000u);
  EXPECT_LT(trace.shortest_ns, 20'000'000u);
}

TEST(ChromeTrace, TakesNamesThatHurt) {
  const std::string signs[] = {";",
                               "\"",
                               "\n",
                               "\xff\xc3",
                               "\xe2\x80\xae",
                               "</script><script>alert(1)</script>",
                               "\\",
                               std::string("a\0b", 3),
                               "{marker.data.what}",
                               std::string(4096, '<')};
  for (std::size_t i = 0; i < 200; ++i) {
    const std::string& sign = signs[i % std::size(signs)];
    const std::string name = std::string(i / std::size(signs), 'x') + sign + std::to_string(i);
    const auto report = MakeTimedReport({.name = name});
    const Json trace = Read(report);
    EXPECT_NEAR(StatesOf(trace, 4711)["running"], 30e3, 1) << i;
    EXPECT_TRUE(Json::accept(Written(report, ReportFormat::kFirefox))) << i;
  }
}

}  // namespace
}  // namespace csink::testing
