#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "symbolizer/report/json/json.h"
#include "symbolizer/report/tables/names.h"
#include "symbolizer/report/text/main_table.h"
#include "symbolizer/report/text/text.h"
#include "symbolizer/report/verdict/remarks.h"
#include "symbolizer/report/wording/shorten.h"
#include "tests/symbolizer/report/sample_reports.h"

/// File: what stands in a report's rows beside the program's functions.

namespace csink::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using namespace csink::testing;

using Names = std::vector<std::string>;

TEST(EventHeads, CutWordByWordAndStayApart) {
  EXPECT_EQ(EventHeads({"cycles", "instructions:u", "branches:u", "branch-misses:u"}),
            (Names{"cycles", "instr", "br", "br-miss"}));
  EXPECT_EQ(
      EventHeads({"cache-references:u", "cache-misses:u", "context-switches", "task-clock:u"}),
      (Names{"ca-refs", "ca-miss", "ctx-sw", "task-clk"}));
  EXPECT_EQ(EventHeads({"skx::BR_MISP_RETIRED:ALL_BRANCHES:u"}), Names{"brmireal"});
}

TEST(EventHeads, OfEventsThatLookAlikeAreNumbered) {
  const Names heads = EventHeads({"cycles:uk", "cycles:k", "cycles:uk", "a::LONG_NAME_OF_THIS:x",
                                  "b::LONG_NAME_OF_THIS:x", "", ""});
  EXPECT_EQ(std::set<std::string>(heads.begin(), heads.end()).size(), heads.size());
  for (const std::string& head : heads) EXPECT_LE(DisplayWidth(head), kHeadColumns) << head;
}

TEST(EventHeads, TakeAnyBytes) {
  for (const char* name : {"", ":", "::", "-", "\xff\xfe\x01\x02\x03\x04\x05\x06\x07\x08", ":::::u",
                           "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "a-b-c-d-e-f-g-h-i-j-k-l"}) {
    EXPECT_LE(DisplayWidth(EventHeads({name, name})[1]), kHeadColumns) << name;
  }
}

/// Two functions alike, with `samples` of the clock and then of each event in both.
Report Counted(const std::vector<std::pair<const char*, EventClass>>& events,
               const std::vector<std::uint64_t>& samples) {
  SpoolBuilder b;
  const auto app = b.AddRegion({.path = "/bin/app", .start = 0x400000, .end = 0x500000});
  for (const auto& [name, kind] : events) b.AddEvent(name, kind, 1000);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    b.AddHits(app, 1, 0x401000, samples[i], i);
    b.AddHits(app, 1, 0x402000, samples[i], i);
  }
  FakeResolver names;
  names.Add("/bin/app", 0x1000, {.end = 0x2000, .name = "work"});
  names.Add("/bin/app", 0x2000, {.end = 0x3000, .name = "work too"});
  return Make(b, names);
}

TEST(MainTableHeads, NameEveryEventAboveItsColumn) {
  const Report report = Counted({{"cycles:u", EventClass::kCycles},
                                 {"instructions:u", EventClass::kInstructions},
                                 {"branches:u", EventClass::kBranches},
                                 {"branch-misses:u", EventClass::kBranchMisses}},
                                {1000, 1000, 1000, 1000, 1000});
  TextStyle style;
  style.width = 90;
  const std::string text = WriteMain(report, style);
  const std::string heads = text.substr(0, text.find('\n'));
  for (const char* head : {" cycles:u", " instr", " br ", " br-miss"}) {
    EXPECT_THAT(heads + " ", HasSubstr(head));
  }
  EXPECT_THAT(heads, Not(HasSubstr("...")));
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(DisplayWidth(line), 90u) << line;
}

TEST(MainTableRatios, AreNotShownWhereTheErrorIsLargerThanTheRatio) {
  // 1,000,003 ns of the clock stand for 1,000 cycles: a made-up GHz of 0.001 or so.
  const Report sure = Counted({{"cycles:u", EventClass::kCycles}}, {500, 500});
  const Report unsure = Counted({{"cycles:u", EventClass::kCycles}}, {2, 2});
  ASSERT_EQ(sure.derived.size(), 1u);
  const auto last_row = [](const Report& report) {
    std::string text = WriteMain(report, {});
    text.pop_back();
    return text.substr(text.rfind('\n') + 1);
  };
  EXPECT_THAT(last_row(sure), HasSubstr("0.00   0.00"));
  EXPECT_THAT(last_row(unsure), ::testing::ContainsRegex(" -  +-  work"));
  EXPECT_TRUE(unsure.functions[0].derived[0].has_value()) << "JSON keeps it";
}

TEST(EventLines, SayTheReasonForSkidOnce) {
  SpoolBuilder b;
  const auto app = b.AddRegion({.path = "/bin/app", .start = 0x400000, .end = 0x500000});
  b.AddEvent("instructions:u", EventClass::kInstructions, 1000);
  b.AddEvent("branches:u", EventClass::kBranches, 1000);
  b.AddHits(app, 1, 0x401000, 100);
  for (int i = 1; i <= 2; ++i) {
    b.event(i).skid = spool::Skid::kInterrupt;
    b.event(i).precise_asked = 3;
    b.event(i).precise_errno = 95;
  }
  const std::string text = WriteText(Make(b, FakeResolver()), {});
  const std::string reason = "precise_ip 1 was refused";
  const auto header_end = text.find("\n\n");
  const auto first = text.find(reason);
  ASSERT_LT(first, header_end) << text;
  EXPECT_GT(text.find(reason, first + 1), header_end) << text;
  EXPECT_THAT(text, HasSubstr("branches:u every 1,000, with skid;"));
}

TEST(BeforeAgent, StandsInTextAndJson) {
  SpoolBuilder b = XzSpool();
  b.header().start_user_ns = 1'000'000'000;
  const Report report = Make(b, XzNames());
  EXPECT_THAT(WriteText(report, {}), HasSubstr("was used before the agent was ready"));
  EXPECT_THAT(WriteJson(report), HasSubstr("\"before_agent_seconds\": 1.0"));
}

/// 970 samples in the program and 30 in the kernel.
SpoolBuilder WithLateInterrupts(const char* event) {
  SpoolBuilder b;
  std::snprintf(b.event(0).name, sizeof b.event(0).name, "%s", event);
  const auto app = b.AddRegion({.path = "/bin/app", .start = 0x400000, .end = 0x500000});
  const auto kernel = b.AddRegion({.path = "[kernel]",
                                   .start = std::uint64_t{1} << 63,
                                   .end = ~std::uint64_t{0},
                                   .file_offset = std::uint64_t{1} << 63,
                                   .flags = spool::kRegionKernel});
  b.AddHits(app, 1, 0x401000, 970);
  b.AddHits(kernel, 1, 0xffffffff81000000, 30);
  return b;
}

TEST(LateInterrupts, AreExplainedWhereSystemTimeIsNotSampled) {
  const Report report = Make(WithLateInterrupts("task-clock:u"), FakeResolver());
  const std::string text = WriteText(report, {});
  EXPECT_THAT(text, HasSubstr("system (not sampled)"));
  EXPECT_THAT(text, HasSubstr("3.0% in [kernel] although system time is not sampled"));
  EXPECT_THAT(text, Not(HasSubstr("JIT")));
  EXPECT_THAT(WriteJson(report), HasSubstr("interrupt was late"));
}

TEST(LateInterrupts, AreNoneWhereTheKernelIsSampled) {
  const std::string text = WriteText(Make(WithLateInterrupts("task-clock:uk"), FakeResolver()), {});
  EXPECT_THAT(text, Not(HasSubstr("although system time")));
}

class AgentCode : public ::testing::Test {
 protected:
  AgentCode() {
    std::string name = (std::filesystem::temp_directory_path() / "csink-agent-XXXXXX").string();
    folder_ = mkdtemp(name.data());
    path_ = folder_ / "libagent.so";
  }
  ~AgentCode() override { std::filesystem::remove_all(folder_); }
  Report OfFile(const std::string& content) {
    std::ofstream(path_) << content;
    SpoolBuilder b;
    const auto agent = b.AddRegion({.path = path_, .start = 0x400000, .end = 0x500000});
    b.AddHits(agent, 1, 0x401000, 10);
    b.AddHits(agent, 1, 0x402000, 10);
    FakeResolver names;
    names.Add(path_, 0x1000, {.end = 0x1100, .name = "Drain"});
    names.Add(path_, 0x2000, {.end = 0x2100, .name = "pthread_create"});
    return Make(b, names);
  }
  std::filesystem::path folder_;
  std::filesystem::path path_;
};

TEST_F(AgentCode, IsOneRow) {
  const Report report = OfFile(
      "\x7f"
      "ELF csink_agent_identity");
  ASSERT_EQ(report.functions.size(), 1u);
  EXPECT_EQ(report.functions[0].function, "[csink agent]");
  EXPECT_EQ(report.functions[0].events[0].samples, 20u);
}

TEST_F(AgentCode, HasTheHooksOfTheCriticalPath) {
  Module hooks;
  hooks.path = "/usr/lib/csink/libcsink-critical.so";
  EXPECT_TRUE(IsAgentModule(hooks));
}

TEST_F(AgentCode, IsNotAnAgentOfTheProgramsOwn) {
  EXPECT_EQ(OfFile("\x7f"
                   "ELF Agent_OnLoad")
                .functions.size(),
            2u);
  std::filesystem::remove(path_);
  Module gone;
  gone.path = path_;
  EXPECT_FALSE(IsAgentModule(gone));
}

}  // namespace
}  // namespace csink::report
