#include <gmock/gmock.h>

#include <map>
#include <nlohmann/json.hpp>

#include "tests/symbolizer/report/formats/written.h"

namespace csink::testing {
namespace {

using Json = nlohmann::json;

/// Reads a file, and checks what file-format-schema.json of the npm package `speedscope` demands:
/// names and types of the fields, and that indices, lengths and sums agree.
Json Read(const report::Report& report, const report::FormatOptions& options = {}) {
  Json file = Json::parse(Written(report, ReportFormat::kSpeedscope, options));
  EXPECT_EQ(file["$schema"], "https://www.speedscope.app/file-format-schema.json");
  EXPECT_TRUE(file["name"].is_string() && file["exporter"].is_string());
  EXPECT_EQ(file["activeProfileIndex"], 0);
  const Json& frames = file["shared"]["frames"];
  for (const Json& frame : frames) {
    EXPECT_TRUE(frame["name"].is_string());
    if (frame.contains("file")) {
      EXPECT_TRUE(frame["file"].is_string());
    }
    if (frame.contains("line")) {
      EXPECT_TRUE(frame["line"].is_number());
    }
  }
  for (const Json& profile : file["profiles"]) {
    EXPECT_EQ(profile["type"], "sampled");
    EXPECT_TRUE(profile["name"].is_string());
    EXPECT_TRUE(profile["unit"] == "nanoseconds" || profile["unit"] == "none");
    EXPECT_EQ(profile["startValue"], 0);
    EXPECT_EQ(profile["samples"].size(), profile["weights"].size());
    std::uint64_t sum = 0;
    for (const Json& weight : profile["weights"]) sum += weight.get<std::uint64_t>();
    EXPECT_EQ(profile["endValue"], sum);
    for (const Json& stack : profile["samples"]) {
      EXPECT_FALSE(stack.empty());
      for (const Json& frame : stack) EXPECT_LT(frame.get<std::size_t>(), frames.size());
    }
  }
  return file;
}

/// Stacks as "main;solve(int)", with their weights.
std::map<std::string, std::uint64_t> StacksOf(const Json& file, const Json& profile) {
  std::map<std::string, std::uint64_t> stacks;
  for (std::size_t i = 0; i < profile["samples"].size(); ++i) {
    std::string text;
    for (const Json& frame : profile["samples"][i]) {
      if (!text.empty()) text += ';';
      text += file["shared"]["frames"][frame.get<std::size_t>()]["name"].get<std::string>();
    }
    stacks[text] += profile["weights"][i].get<std::uint64_t>();
  }
  return stacks;
}

TEST(Speedscope, HasTheStacksOfFoldedText) {
  const auto report = MakeStacksReport();
  const Json file = Read(report);
  std::map<std::string, std::uint64_t> folded;
  for (const std::string& line : LinesOf(Written(report, ReportFormat::kFolded))) {
    const auto blank = line.rfind(' ');
    const std::uint64_t weight = std::stoull(line.substr(blank + 1));
    if (weight != 0) folded[line.substr(0, blank)] = weight;
  }
  EXPECT_EQ(StacksOf(file, file["profiles"][0]), folded);
  EXPECT_EQ(file["profiles"][0]["name"], "task-clock:u, all threads");
  EXPECT_EQ(file["profiles"][0]["unit"], "nanoseconds");
  EXPECT_EQ(file["profiles"][0]["endValue"], report.profile.events[0].weight);
}

TEST(Speedscope, HasAProfileForEachThread) {
  const Json file = Read(MakeStacksReport());
  ASSERT_EQ(file["profiles"].size(), 4u);
  EXPECT_EQ(file["profiles"][2]["name"], "task-clock:u, worker 4712 of solver 4711");
  EXPECT_EQ(file["profiles"][2]["endValue"], 400 * 1'000'003u);
  std::uint64_t sum = 0;
  for (std::size_t i = 1; i < 4; ++i) sum += file["profiles"][i]["endValue"].get<std::uint64_t>();
  EXPECT_EQ(file["profiles"][0]["endValue"], sum);
}

TEST(Speedscope, HasEveryEvent) {
  const SpoolBuilder spool = PmuSpool();
  const auto report = MakeAll({&spool}, PmuNames());
  const Json file = Read(report);
  ASSERT_EQ(file["profiles"].size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(file["profiles"][i]["name"], report.profile.events[i].name);
    EXPECT_EQ(file["profiles"][i]["unit"], "none");
    EXPECT_EQ(file["profiles"][i]["endValue"], report.profile.events[i].weight);
  }
  // Without stacks the module is the caller.
  EXPECT_EQ(
      file["shared"]["frames"][file["profiles"][0]["samples"][0][0].get<std::size_t>()]["name"],
      "solver");
}

TEST(Speedscope, HasInlinedFramesAndHottestLines) {
  const Json file = Read(MakeStacksReport(true), {.inlines = true});
  const auto stacks = StacksOf(file, file["profiles"][0]);
  EXPECT_TRUE(stacks.contains("main;solve(int);kernel(double*, double*);mid();leaf()"));
  for (const Json& frame : file["shared"]["frames"]) {
    if (frame["name"] != "leaf()") continue;
    EXPECT_EQ(frame["file"], "leaf.h");
    EXPECT_EQ(frame["line"], 7);
  }
}

TEST(Speedscope, HasWhatWasCut) {
  const Json file = Read(MakeEmptyStacks());
  const auto stacks = StacksOf(file, file["profiles"][0]);
  EXPECT_EQ(stacks.at("[cut];kernel(double*, double*)"), 3 * 1'000'003u);
}

TEST(Speedscope, HasTheVerdict) {
  const Json file = Read(MakeStacksReport());
  EXPECT_THAT(file["name"].get<std::string>(), ::testing::HasSubstr("; verdict "));
  EXPECT_GE(file["csink"]["facts"].size(), 3u);
}

}  // namespace
}  // namespace csink::testing
