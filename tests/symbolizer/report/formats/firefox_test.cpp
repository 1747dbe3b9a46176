#include <gmock/gmock.h>

#include <map>
#include <nlohmann/json.hpp>

#include "tests/symbolizer/report/formats/firefox_profile.h"
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

/// The names of a stack's functions, innermost first.
std::vector<std::string> NamesOf(const Json& profile, const Json& thread, Json stack) {
  std::vector<std::string> names;
  for (; !stack.is_null(); stack = thread["stackTable"]["prefix"][stack.get<std::size_t>()]) {
    const std::size_t frame = thread["stackTable"]["frame"][stack.get<std::size_t>()];
    const std::size_t function = thread["frameTable"]["func"][frame];
    const std::size_t name = thread["funcTable"]["name"][function];
    names.push_back(profile["shared"]["stringArray"][name].get<std::string>());
  }
  return names;
}

/// The sum of the weights by function; ms or events.
std::map<std::string, double> SelfOf(const Json& profile, const Json& thread) {
  std::map<std::string, double> sums;
  for (std::size_t i = 0; i < thread["samples"]["length"].get<std::size_t>(); ++i) {
    sums[NamesOf(profile, thread, thread["samples"]["stack"][i])[0]] +=
        thread["samples"]["weight"][i].get<double>();
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
    const auto names = NamesOf(profile, thread, stack);
    if (names[0] != "leaf()") continue;
    found = true;
    EXPECT_THAT(names, ElementsAre("leaf()", "mid()", "kernel(double*, double*)", "solve(int)",
                                   "solve(int)", "main"));
    const std::size_t frame = thread["stackTable"]["frame"][stack.get<std::size_t>()];
    EXPECT_EQ(thread["frameTable"]["inlineDepth"][frame], 2);
    EXPECT_EQ(thread["frameTable"]["line"][frame], 7);
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
  EXPECT_THAT(facts, ::testing::HasSubstr("Made from histograms"));
}

}  // namespace
}  // namespace csink::testing
