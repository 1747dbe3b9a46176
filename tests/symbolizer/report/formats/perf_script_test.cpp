#include <gmock/gmock.h>

#include <map>
#include <regex>

#include "tests/symbolizer/report/formats/written.h"

namespace csink::testing {
namespace {

struct Entry {
  std::string comm, event;
  std::uint64_t pid = 0, tid = 0, period = 0;
  double seconds = 0;
  std::vector<std::string> functions;  ///< Innermost first, without offset
  std::vector<std::string> modules;
};

/// The patterns that scripts use which read `perf script`.
std::vector<Entry> Read(const std::string& text) {
  static const std::regex head(R"(^(\S.*?)\s+(\d+)/(\d+)\s+(\d+\.\d{9}):\s+(\d+)\s+(\S+):\s*$)");
  static const std::regex frame(R"(^\s+([0-9a-f]+) (.+) \((.*)\)$)");
  std::vector<Entry> entries;
  bool open = false;
  std::smatch match;
  for (const std::string& line : LinesOf(text)) {
    if (line.rfind('#', 0) == 0) continue;
    if (line.empty()) {
      open = false;
    } else if (!open && std::regex_match(line, match, head)) {
      entries.push_back({match[1],
                         match[6],
                         std::stoull(match[2]),
                         std::stoull(match[3]),
                         std::stoull(match[5]),
                         std::stod(match[4]),
                         {},
                         {}});
      open = true;
    } else if (open && std::regex_match(line, match, frame)) {
      entries.back().functions.push_back(
          std::regex_replace(match[2].str(), std::regex(R"(\+0x[0-9a-f]+$)"), ""));
      entries.back().modules.push_back(match[3]);
    } else {
      ADD_FAILURE() << "no entry and no frame: " << line;
    }
  }
  return entries;
}

TEST(PerfScript, HasAnEntryForEachSample) {
  const auto report = MakeStacksReport();
  const auto entries = Read(Written(report, ReportFormat::kPerfScript));
  std::uint64_t sum = 0;
  std::map<std::string, std::uint64_t> by_leaf, records;
  double before = 0;
  for (const Entry& entry : entries) {
    EXPECT_GE(entry.seconds, before);
    before = entry.seconds;
    sum += entry.period;
    ++records[entry.functions[0]];
    ASSERT_FALSE(entry.functions.empty());
    by_leaf[entry.functions[0]] += entry.period;
    EXPECT_EQ(entry.event, "task-clock:u");
  }
  EXPECT_EQ(entries.size(), report.profile.events[0].samples);
  EXPECT_EQ(sum, report.profile.events[0].weight);
  for (const auto& row : report.functions) {
    EXPECT_EQ(by_leaf[row.function], row.events[0].weight);
    // Readers such as Firefox Profiler count entries.
    EXPECT_EQ(records[row.function], row.events[0].samples);
  }
}

TEST(PerfScript, HasWhatWasCutBeforeTheFirstCaller) {
  std::uint64_t cut = 0;
  for (const Entry& entry : Read(Written(MakeEmptyStacks(), ReportFormat::kPerfScript))) {
    ASSERT_EQ(entry.functions.size(), 2u);
    if (entry.functions[1] == "[cut]") cut += entry.period;
  }
  EXPECT_EQ(cut, 3 * 1'000'003u);
}

TEST(PerfScript, NamesThreadsAndModules) {
  bool found = false;
  for (const Entry& entry : Read(Written(MakeStacksReport(), ReportFormat::kPerfScript))) {
    if (entry.tid != 4712 || entry.functions[0] != "memcpy") continue;
    found = true;
    EXPECT_EQ(entry.comm, "worker");
    EXPECT_EQ(entry.pid, 4711u);
    EXPECT_EQ(entry.functions, (std::vector<std::string>{"memcpy", "solve(int)", "main"}));
    EXPECT_EQ(entry.modules[0], "/lib/libc.so.6");
  }
  EXPECT_TRUE(found);
}

TEST(PerfScript, MarksInlinedFrames) {
  const auto text = Written(MakeStacksReport(true), ReportFormat::kPerfScript, {.inlines = true});
  for (const Entry& entry : Read(text)) {
    if (entry.functions[0] != "leaf()") continue;
    EXPECT_EQ(entry.modules[0], "inlined");
    EXPECT_EQ(entry.functions[1], "mid()");
    EXPECT_EQ(entry.functions[2], "kernel(double*, double*)");
    return;
  }
  ADD_FAILURE() << text;
}

TEST(PerfScript, SaysWhatItIsMadeFrom) {
  const auto text = Written(MakeStacksReport(), ReportFormat::kPerfScript);
  EXPECT_THAT(text, ::testing::HasSubstr("# verdict "));
  EXPECT_THAT(text, ::testing::HasSubstr("# A record for each sample; times were not recorded"));
}

TEST(PerfScript, HasEveryEvent) {
  const SpoolBuilder spool = PmuSpool();
  const auto report = MakeAll({&spool}, PmuNames());
  std::map<std::string, std::uint64_t> sums;
  for (const Entry& e : Read(Written(report, ReportFormat::kPerfScript))) sums[e.event] += e.period;
  ASSERT_EQ(sums.size(), 3u);
  for (const auto& event : report.profile.events) EXPECT_EQ(sums[event.name], event.weight);
}

}  // namespace
}  // namespace csink::testing
