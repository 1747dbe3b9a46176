#include <gmock/gmock.h>

#include <map>
#include <nlohmann/json.hpp>

#include "tests/symbolizer/report/formats/firefox_profile.h"
#include "tests/symbolizer/report/formats/timed_report.h"
#include "tests/symbolizer/report/formats/written.h"

namespace csink::testing {
namespace {

using Json = nlohmann::json;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

Json Read(const report::Report& report, const report::FormatOptions& options = {}) {
  Json profile = Json::parse(Written(report, ReportFormat::kFirefox, options));
  EXPECT_THAT(FirefoxCheck(profile).problems(), IsEmpty());
  return profile;
}

/// The names of a stack's functions, innermost first; none of a sample without a stack.
std::vector<std::string> NamesOf(const Json& profile, const Json& stack) {
  const Json& shared = profile["shared"];
  std::vector<std::string> names;
  if (stack.is_null()) return names;
  for (auto at = stack.get<std::size_t>();;) {
    const std::size_t frame = shared["stackTable"]["frame"][at];
    const std::size_t function = shared["frameTable"]["func"][frame];
    const std::size_t name = shared["funcTable"]["name"][function];
    names.push_back(shared["stringArray"][name].get<std::string>());
    const auto offset = shared["stackTable"]["prefixOffset"][at].get<std::size_t>();
    if (offset == 0) return names;
    at -= offset;
  }
}

/// The sum of the weights by function; ms or events.
std::map<std::string, double> SelfOf(const Json& profile, const Json& thread) {
  std::map<std::string, double> sums;
  for (std::size_t i = 0; i < thread["samples"]["length"].get<std::size_t>(); ++i) {
    const auto names = NamesOf(profile, thread["samples"]["stack"][i]);
    if (names.empty()) {
      EXPECT_EQ(thread["samples"]["weight"][i], 0);
    } else {
      sums[names[0]] += thread["samples"]["weight"][i].get<double>();
    }
  }
  return sums;
}

TEST(FirefoxFormat, HasAThreadForEachThread) {
  const auto report = MakeStacksReport();
  const Json profile = Read(report);
  ASSERT_EQ(profile["threads"].size(), 3u);
  double sum = 0;
  std::map<std::string, double> self;
  for (const Json& thread : profile["threads"]) {
    EXPECT_EQ(thread["pid"], "4711");
    EXPECT_EQ(thread["processName"], "solver");
    EXPECT_EQ(thread["samples"]["weightType"], "tracing-ms");
    for (const auto& [name, ms] : SelfOf(profile, thread)) {
      self[name] += ms;
      sum += ms;
    }
  }
  EXPECT_EQ(profile["threads"][0]["isMainThread"], true);
  EXPECT_EQ(profile["threads"][1]["name"], "worker");
  EXPECT_EQ(profile["threads"][1]["tid"], 4712);
  EXPECT_NEAR(sum, static_cast<double>(report.profile.events[0].weight) / 1e6, 1e-6);
  for (const auto& row : report.functions) {
    EXPECT_NEAR(self[row.function], static_cast<double>(row.events[0].weight) / 1e6, 1e-6);
  }
}

TEST(FirefoxFormat, HasStacksLinesAndLibraries) {
  const Json profile = Read(MakeStacksReport(true), {.inlines = true});
  const Json& thread = profile["threads"][1];
  bool found = false;
  for (const Json& stack : thread["samples"]["stack"]) {
    const auto names = NamesOf(profile, stack);
    if (names.empty() || names[0] != "leaf()") continue;
    found = true;
    EXPECT_THAT(names, ElementsAre("leaf()", "mid()", "kernel(double*, double*)", "solve(int)",
                                   "solve(int)", "main"));
    const Json& shared = profile["shared"];
    const std::size_t frame = shared["stackTable"]["frame"][stack.get<std::size_t>()];
    EXPECT_EQ(shared["frameTable"]["inlineDepth"][frame], 2);
    EXPECT_EQ(shared["frameTable"]["line"][frame], 7);
    EXPECT_EQ(shared["frameTable"]["lib"][frame], 0);
  }
  EXPECT_TRUE(found);
  ASSERT_EQ(profile["libs"].size(), 2u);
  EXPECT_EQ(profile["libs"][0]["path"], "/home/me/solver");
  EXPECT_EQ(profile["libs"][0]["codeId"], "0102");
  // The first four bytes of a GUID are stored with the lowest byte first.
  EXPECT_EQ(profile["libs"][0]["breakpadId"], "000002010000000000000000000000000");
}

TEST(FirefoxFormat, HasAThreadForEachEvent) {
  const SpoolBuilder spool = PmuSpool();
  const auto report = MakeAll({&spool}, PmuNames());
  const Json profile = Read(report);
  ASSERT_EQ(profile["threads"].size(), 3u);
  for (std::size_t e = 0; e < 3; ++e) {
    const Json& thread = profile["threads"][e];
    EXPECT_EQ(thread["name"], "app (" + report.profile.events[e].name + ")");
    EXPECT_EQ(thread["samples"]["weightType"], "samples");
    std::uint64_t sum = 0;
    for (const Json& weight : thread["samples"]["weight"]) sum += weight.get<std::uint64_t>();
    EXPECT_EQ(sum, report.profile.events[e].weight);
  }
  EXPECT_EQ(Read(report, {.events = {1}})["threads"].size(), 1u);
}

TEST(FirefoxFormat, TellsImagesOfOneProcessApart) {
  SpoolBuilder first, second;
  for (SpoolBuilder* spool : {&first, &second}) {
    spool->SetCommand("app", "app");
    const auto region = spool->AddRegion({.path = "/bin/app", .start = 0, .end = 0x4000});
    spool->AddHits(region, 1, 0x1000, 3);
  }
  second.header().exec_generation = 1;
  const Json profile = Read(MakeAll({&first, &second}, FakeResolver()));
  ASSERT_EQ(profile["threads"].size(), 2u);
  EXPECT_NE(profile["threads"][0]["pid"], profile["threads"][1]["pid"]);
}

TEST(FirefoxFormat, HasTheVerdict) {
  const Json profile = Read(MakeStacksReport());
  std::string facts;
  for (const Json& entry : profile["meta"]["extra"][0]["entries"]) {
    facts += entry["value"].get<std::string>() + "\n";
  }
  EXPECT_THAT(facts, ::testing::HasSubstr("\nverdict "));
  EXPECT_THAT(facts, ::testing::HasSubstr("times were not recorded"));
  EXPECT_THAT(facts, ::testing::HasSubstr("Waits were not recorded"));
}

TEST(FirefoxFormat, EndsThreadsWhereTheyEnded) {
  SpoolBuilder spool;
  const auto region = spool.AddRegion({.path = "/bin/app", .start = 0, .end = 0x4000});
  spool.AddHits(region, 1, 0x1000, 391);
  spool.AddHits(region, 1, 0x1100, 236);  // the last one of the chart, with more than a third
  FakeResolver names;
  names.Add("/bin/app", 0x1000, {.end = 0x1100, .name = "First"});
  names.Add("/bin/app", 0x1100, {.end = 0x1200, .name = "Last"});
  const Json profile = Read(MakeAll({&spool}, names));
  const Json& samples = profile["threads"][0]["samples"];
  // Drawn until the next sample each: the whole wall time.
  EXPECT_NEAR(samples["time"].back().get<double>(), 1050, 0.001);
  double drawn = 0;
  for (std::size_t i = 0; i + 1 < samples["length"].get<std::size_t>(); ++i) {
    const double width = samples["time"][i + 1].get<double>() - samples["time"][i].get<double>();
    if (NamesOf(profile, samples["stack"][i])[0] == "Last") drawn += width;
  }
  EXPECT_NEAR(drawn / 1050, 236.0 / 627, 0.01);
}

TEST(FirefoxFormat, HasRecordedTimesAndWaits) {
  const Json profile = Read(MakeTimedReport());
  ASSERT_EQ(profile["threads"].size(), 2u);
  const Json& samples = profile["threads"][0]["samples"];
  // Nothing is drawn while the thread is blocked, from 10 to 510 ms.
  bool before = false, after = false;
  double cpu = 0;
  for (std::size_t i = 0; i < samples["length"].get<std::size_t>(); ++i) {
    const double ms = samples["time"][i].get<double>();
    before = before || (ms == 10 && samples["stack"][i].is_null());
    if (ms > 10 && ms < 510) EXPECT_TRUE(samples["stack"][i].is_null()) << ms;
    after = after || ms == 511;
    cpu += samples["threadCPUDelta"][i].get<double>();
  }
  EXPECT_TRUE(before);
  EXPECT_TRUE(after);
  EXPECT_EQ(cpu, 30e6);
  const Json& markers = profile["threads"][0]["markers"];
  const auto name = [&](std::size_t i) {
    return profile["shared"]["stringArray"][markers["name"][i].get<std::size_t>()];
  };
  ASSERT_EQ(markers["length"], 2);
  EXPECT_EQ(name(0), "Wait");
  EXPECT_EQ(markers["startTime"][0], 10);
  EXPECT_EQ(markers["endTime"][0], 510);
  EXPECT_EQ(markers["phase"][0], 1);
  EXPECT_EQ(markers["data"][0]["what"], "mutex");
  EXPECT_EQ(markers["data"][0]["waker"], "B 4712");
  EXPECT_EQ(name(1), "Mark");
  EXPECT_EQ(markers["startTime"][1], 510);
  EXPECT_EQ(markers["data"][1]["mark"], "B");
  EXPECT_EQ(profile["threads"][1]["markers"]["data"][0]["what"], "sleep");
}

}  // namespace
}  // namespace csink::testing
