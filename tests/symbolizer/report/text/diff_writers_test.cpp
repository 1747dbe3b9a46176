#include "symbolizer/report/text/diff_writers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>

#include "symbolizer/report/compare/compare.h"
#include "symbolizer/report/wording/shorten.h"
#include "tests/symbolizer/report/golden.h"
#include "tests/symbolizer/report/sample_reports.h"

namespace csink::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using namespace csink::testing;

/// Runs of xz in which `more` is added to one function.
std::vector<Baseline> RunsOf(std::size_t count, std::uint64_t more) {
  std::vector<Baseline> runs;
  for (std::size_t i = 0; i < count; ++i) {
    SpoolBuilder b = XzSpool();
    b.header().user_ns += (more + 7 * i) * 1'000'000;
    if (more + i > 0) b.AddHits(0, 1, 0x7f2020, more + 7 * i);
    if (more == 0) b.AddHits(0, 1, 0x7f7000, 100);
    runs.push_back(BaselineOf(Make(b, XzNames())));
  }
  return runs;
}

Comparison Example(std::size_t count, std::uint64_t more) {
  Comparison comparison = CompareRuns(RunsOf(count, more), RunsOf(count, 0));
  comparison.was.name = comparison.baseline = "before";
  comparison.now.name = "after";
  return comparison;
}

TEST(WriteDiffText, OneRunEach) {
  ExpectGolden("diff_one.txt", WriteDiffText(Example(1, 700), {}));
}

TEST(WriteDiffText, SeveralRuns) {
  ExpectGolden("diff_several.txt", WriteDiffText(Example(4, 700), {}));
}

TEST(WriteDiffText, NothingChanged) {
  const std::string text = WriteDiffText(CompareRuns(RunsOf(3, 0), RunsOf(3, 0)), {});
  EXPECT_THAT(text, HasSubstr("no change beyond the error in 8 functions"));
  EXPECT_THAT(text, HasSubstr("1.000 times as much CPU time (+0.0%, 95% interval "));
}

/// Three runs a side whose CPU time differs by these seconds; their one function has the same time.
Comparison SecondsOf(const std::vector<double>& now, const std::vector<double>& then) {
  const auto runs = [](const std::vector<double>& seconds) {
    std::vector<Baseline> made;
    for (std::size_t i = 0; i < seconds.size(); ++i) {
      Baseline& run = made.emplace_back();
      run.cpu_seconds = seconds[i];
      run.events = {{"task-clock:u", 1000, 1e9, true}};
      run.functions = {{"f", "app", {0.5}}, {"g", "app", {0.5}}};
    }
    return made;
  };
  return CompareRuns(runs(now), runs(then));
}

TEST(WriteDiffText, NoPValueContradictsTheResult) {
  const Comparison whole = SecondsOf({1.10, 1.12, 1.11}, {1.05, 1.02, 1.04});
  ASSERT_LT(*whole.cpu_p_value, 0.05);
  const std::string text = WriteDiffText(whole, {});
  EXPECT_THAT(text, Not(HasSubstr("p =")));
  EXPECT_THAT(text, Not(HasSubstr("no change beyond the error")));
  EXPECT_THAT(text, HasSubstr("no one of 2 functions changed beyond the error, though their CPU "
                              "time together did (+7.1%)"));
  EXPECT_THAT(WriteDiffText(SecondsOf({1.1, 1, 1.05}, {1.05, 1.1, 1}), {}),
              HasSubstr("no change beyond the error in 2 functions"));
}

TEST(WriteDiffText, SaysWhenTheRunsDidNotTakeTurns) {
  Comparison comparison = Example(3, 700);
  comparison.order = RunOrder::kThenFirst;
  EXPECT_THAT(WriteDiffText(comparison, {}), HasSubstr("all runs of A began before the runs of B"));
  comparison.order = RunOrder::kNowFirst;
  EXPECT_THAT(WriteDiffText(comparison, {}), HasSubstr("all runs of B began before the runs of A"));
  comparison.order = RunOrder::kMixed;
  EXPECT_THAT(WriteDiffText(comparison, {}), Not(HasSubstr("order ")));
}

TEST(FindableWords, SayWhatAsManyRunsWouldFind) {
  Comparison comparison;
  comparison.event = "task-clock:u";
  comparison.was.runs = comparison.now.runs = 5;
  EXPECT_EQ(FindableWords(comparison), "");
  ChangeRow hash;
  hash.function = "Hash(char const*)";
  hash.amount = hash.was_amount = 0.17;
  hash.findable = 0.24;
  hash.findable_short = 0.1;
  hash.runs_for_usual = 24.2;
  ChangeRow crc = hash;
  crc.function = "Crc(char const*)";
  crc.amount = 0.03;
  crc.findable = 0.75;
  comparison.functions = {crc, hash, ChangeRow()};
  EXPECT_EQ(FindableWords(comparison),
            "these 5 + 5 runs would find a change of 24% in Hash(char const*) and 75% in Crc(char "
            "const*) (four times of five); a period of 0.2 ms (-e task-clock:u@200000): 10% in "
            "Hash(char const*); 10% in Hash(char const*) needs about 25 runs a side");
}

TEST(ChangeText, IsAChangeInPercent) {
  EXPECT_EQ(ChangeText(1.048), "+4.8%");
  EXPECT_EQ(ChangeText(0.69), "-31%");
  EXPECT_EQ(ChangeText(12.3), "x12");
  EXPECT_EQ(ChangeText(std::numeric_limits<double>::infinity()), "any");
  EXPECT_EQ(ChangeIntervalText({0.9, 1.25}), "-10% to +25%");
}

TEST(WriteDiffText, OtherEventsAndNothingAtAll) {
  const Comparison other = CompareRuns({BaselineOf(Make(PmuSpool(), PmuNames()))}, RunsOf(1, 0));
  EXPECT_THAT(WriteDiffText(other, {}), HasSubstr("A and B have no event in common"));
  EXPECT_FALSE(WriteDiffText(CompareRuns({Baseline()}, {Baseline()}), {}).empty());
}

TEST(WriteDiffText, FitsNarrowScreens) {
  for (const std::size_t width : {20, 40, 59, 60, 80, 100, 200}) {
    TextStyle style;
    style.width = width;
    const std::string text = DrawChanges(Example(4, 700), style, 20, true);
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      EXPECT_LE(DisplayWidth(line), width < 60 ? width : std::max<std::size_t>(width, 80)) << line;
    }
  }
}

TEST(WriteDiffText, HostileNamesAreTamed) {
  Comparison comparison = Example(1, 700);
  comparison.now.name = "\033[2J\xff";
  comparison.now.command = "a\nb\033";
  comparison.functions[0].function = "\033[31m\n";
  for (const std::string& text : {WriteDiffText(comparison, {}), WriteDiffCsv(comparison)}) {
    EXPECT_THAT(text, Not(HasSubstr("\033")));
    EXPECT_THAT(text, Not(HasSubstr("\xff")));
  }
  EXPECT_FALSE(nlohmann::json::parse(WriteDiffJson(comparison)).empty());
}

/// The keys that docs/diff.md documents.
std::set<std::string> DocumentedKeys() {
  std::ifstream file(std::string(CSINK_DOCS_DIR) + "/diff.md");
  const std::regex row("^\\| `([^`]+)` \\|.*");
  std::set<std::string> keys;
  std::smatch match;
  for (std::string line; std::getline(file, line);) {
    if (std::regex_match(line, match, row)) keys.insert(match[1]);
  }
  return keys;
}

TEST(WriteDiffJson, WritesWhatIsDocumentedAndNothingElse) {
  Comparison example = Example(3, 700);
  example.programs = {{"xz-old", "xz"}};
  const auto json = nlohmann::json::parse(WriteDiffJson(example));
  std::set<std::string> written;
  for (const auto& [key, value] : json.items()) written.insert(key);
  for (const auto& [key, value] : json["a"].items()) written.insert("a." + key);
  for (const auto& [key, value] : json["programs"][0].items()) written.insert("programs[]." + key);
  for (const auto& [key, value] : json["rows"][0].items()) written.insert("rows[]." + key);
  EXPECT_EQ(written, DocumentedKeys());
  EXPECT_EQ(json["format"], "csink-diff");
  EXPECT_EQ(json["version"], 2);
  EXPECT_EQ(json["own_runs_test"], "welch");
  EXPECT_EQ(json["a"]["verdict"], "good");
}

TEST(WriteDiffCsv, HasAsManyFieldsAsItsHeader) {
  std::istringstream lines(WriteDiffCsv(Example(3, 700)));
  std::string line;
  std::getline(lines, line);
  const auto commas = std::count(line.begin(), line.end(), ',');
  std::size_t rows = 0;
  for (; std::getline(lines, line); ++rows) {
    EXPECT_EQ(std::count(line.begin(), line.end(), ','), commas) << line;
  }
  EXPECT_EQ(rows, 8u);
}

}  // namespace
}  // namespace csink::report
