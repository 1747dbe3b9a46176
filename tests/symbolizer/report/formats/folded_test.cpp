#include <gmock/gmock.h>

#include <map>

#include "tests/symbolizer/report/formats/written.h"

namespace csink::testing {
namespace {

using ::testing::StartsWith;
using Stacks = std::map<std::string, std::uint64_t>;

/// As flamegraph.pl reads it: what stands before the last blank, and the number behind it.
Stacks Read(const std::string& text) {
  Stacks stacks;
  for (const std::string& line : LinesOf(text)) {
    const auto blank = line.rfind(' ');
    EXPECT_NE(blank, line.npos) << line;
    EXPECT_TRUE(stacks.emplace(line.substr(0, blank), std::stoull(line.substr(blank + 1))).second)
        << "twice: " << line;
  }
  return stacks;
}

std::uint64_t Sum(const Stacks& stacks) {
  std::uint64_t sum = 0;
  for (const auto& [stack, weight] : stacks) sum += weight;
  return sum;
}

constexpr std::uint64_t kPeriod = 1'000'003;

TEST(Folded, HasARootFirstStackALine) {
  const auto report = MakeStacksReport();
  const Stacks stacks = Read(Written(report, ReportFormat::kFolded));
  EXPECT_EQ(Sum(stacks), report.profile.events[0].weight);
  EXPECT_EQ(stacks.at("main;load(char const*);memcpy"), 170 * kPeriod);
  EXPECT_EQ(stacks.at("main;solve(int);solve(int);kernel(double*, double*)"), 300 * kPeriod);
  EXPECT_EQ(stacks.at("main"), 30 * kPeriod);
  EXPECT_EQ(stacks.at("[cut];kernel(double*, double*);memcpy"), 50 * kPeriod);
}

TEST(Folded, HasWhatWasCutBeforeTheFirstCaller) {
  const Stacks stacks = Read(Written(MakeEmptyStacks(), ReportFormat::kFolded));
  EXPECT_EQ(Sum(stacks), 8 * kPeriod);
  EXPECT_EQ(stacks.at("[cut];kernel(double*, double*)"), 3 * kPeriod);
}

TEST(Folded, HasTheVerdictAsAStackOfNothing) {
  const auto lines = LinesOf(Written(MakeStacksReport(), ReportFormat::kFolded));
  EXPECT_THAT(lines[0], StartsWith("[verdict "));
  EXPECT_EQ(lines[0].find(';'), std::string::npos);
  EXPECT_EQ(lines[0].substr(lines[0].size() - 3), "] 0");
}

TEST(Folded, HasInlinedFunctionsWhenAsked) {
  const auto stacks =
      Read(Written(MakeStacksReport(true), ReportFormat::kFolded, {.inlines = true}));
  const std::string kernel = "main;solve(int);kernel(double*, double*);mid();leaf()";
  EXPECT_EQ(stacks.at(kernel), 220 * kPeriod);
  EXPECT_EQ(Read(Written(MakeStacksReport(true), ReportFormat::kFolded)).count(kernel), 0u);
}

TEST(Folded, WithoutStacksHasModulesAndFunctions) {
  const auto report = MakeAll({[] {
                                static const SpoolBuilder spool = XzSpool();
                                return &spool;
                              }()},
                              XzNames());
  const Stacks stacks = Read(Written(report, ReportFormat::kFolded));
  EXPECT_EQ(Sum(stacks), report.profile.events[0].weight);
  EXPECT_EQ(stacks.at("liblzma.so.5.4.1;bt_find_func"), 2012 * kPeriod);
}

TEST(Folded, TakesTheEventThatWasAskedFor) {
  const SpoolBuilder spool = PmuSpool();
  const auto report = MakeAll({&spool}, PmuNames());
  for (std::size_t i = 0; i < report.profile.events.size(); ++i) {
    const auto stacks = Read(Written(report, ReportFormat::kFolded, {.events = {i}}));
    EXPECT_EQ(Sum(stacks), report.profile.events[i].weight);
  }
}

}  // namespace
}  // namespace csink::testing
