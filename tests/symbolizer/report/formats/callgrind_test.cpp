#include <gmock/gmock.h>

#include <map>
#include <regex>

#include "tests/symbolizer/report/formats/written.h"

namespace csink::testing {
namespace {

using Costs = std::vector<std::uint64_t>;
using Edge = std::pair<std::string, std::string>;

/// A reader by the grammar of callgrind's manual.
struct CallgrindFile {
  std::vector<std::string> events, descriptions;
  std::map<std::string, Costs> self;           ///< By function
  std::map<Edge, Costs> calls;                 ///< Inclusive, by caller and callee
  std::map<Edge, std::uint64_t> counts;        ///< calls=
  std::map<std::string, std::string> objects;  ///< By function
  std::map<std::pair<std::string, std::uint64_t>, Costs> lines;
  Costs summary, totals;

  explicit CallgrindFile(const std::string& text) {
    for (const std::string& line : LinesOf(text)) Line(line);
  }

 private:
  static void Add(Costs& sums, const Costs& more) {
    sums.resize(more.size());
    for (std::size_t i = 0; i < more.size(); ++i) sums[i] += more[i];
  }
  static Costs Numbers(const std::string& text) {
    std::istringstream in(text);
    Costs costs;
    for (std::uint64_t number; in >> number;) costs.push_back(number);
    EXPECT_TRUE(in.eof()) << text;
    return costs;
  }
  std::string Name(const std::string& kind, const std::string& text) {
    static const std::regex form(R"(^\((\d+)\)(?: (.*))?$)");
    std::smatch match;
    EXPECT_TRUE(std::regex_match(text, match, form)) << text;
    auto& known = names_[kind][match[1]];
    if (match[2].matched) {
      EXPECT_TRUE(known.empty()) << "named twice: " << text;
      known = match[2];
    }
    EXPECT_FALSE(known.empty()) << "not named yet: " << text;
    return known;
  }
  void Line(const std::string& line) {
    static const std::regex header(R"(^([a-z]+): ?(.*)$)");
    static const std::regex cost(R"(^0x([0-9a-f]+) (\d+)((?: \d+)*)$)");
    static const std::regex key(R"(^([a-z]+)=(.*)$)");
    std::smatch match;
    if (line.empty() || line[0] == '#') return;
    if (std::regex_match(line, match, header)) return Header(match[1], match[2]);
    if (std::regex_match(line, match, cost)) {
      return Cost(std::stoull(match[2]), Numbers(match[3]));
    }
    ASSERT_TRUE(std::regex_match(line, match, key)) << line;
    Key(match[1], match[2]);
  }
  void Header(const std::string& name, const std::string& value) {
    if (name == "desc") descriptions.push_back(value);
    if (name == "summary") summary = Numbers(value);
    if (name == "totals") totals = Numbers(value);
    if (name == "positions") {
      EXPECT_EQ(value, "instr line");
    }
    if (name != "events") return;
    std::istringstream in(value);
    for (std::string event; in >> event;) events.push_back(event);
  }
  void Key(const std::string& name, const std::string& value) {
    if (name == "calls") {
      pending_ = std::stoull(value);
      is_call_ = true;
    } else if (name == "fn") {
      objects[function_ = Name("fn", value)] = object_;
    } else if (name == "cfn") {
      callee_ = Name("fn", value);
    } else if (name == "ob" || name == "cob") {
      (name == "ob" ? object_ : ignored_) = Name("ob", value);
    } else {
      EXPECT_TRUE(name == "fl" || name == "fi" || name == "fe" || name == "cfi") << name;
      (name == "cfi" ? ignored_ : file_) = Name("fl", value);
    }
  }
  void Cost(std::uint64_t line, const Costs& costs) {
    EXPECT_EQ(costs.size(), events.size());
    if (is_call_) {
      Add(calls[{function_, callee_}], costs);
      counts[{function_, callee_}] += pending_;
    } else {
      Add(self[function_], costs);
      Add(lines[{file_, line}], costs);
    }
    is_call_ = false;
  }
  std::map<std::string, std::map<std::string, std::string>> names_;
  std::string function_, callee_, object_, file_, ignored_;
  std::uint64_t pending_ = 0;
  bool is_call_ = false;
};

TEST(Callgrind, HasTheCostsOfTheReport) {
  const SpoolBuilder spool = PmuSpool();
  const auto report = MakeAll({&spool}, PmuNames());
  const CallgrindFile file(Written(report, ReportFormat::kCallgrind));
  EXPECT_EQ(file.events,
            (std::vector<std::string>{"cycles_u", "instructions_u", "cache-misses_u"}));
  ASSERT_EQ(file.self.size(), report.functions.size());
  for (const auto& row : report.functions) {
    for (std::size_t e = 0; e < 3; ++e) {
      EXPECT_EQ(file.self.at(row.function)[e], row.events[e].weight);
    }
    EXPECT_EQ(file.objects.at(row.function), row.module_path);
  }
  for (const auto& row : report.lines) {
    EXPECT_EQ(file.lines.at({row.file, row.line})[0], row.events[0].weight);
  }
  for (std::size_t e = 0; e < 3; ++e) EXPECT_EQ(file.summary[e], report.profile.events[e].weight);
  EXPECT_EQ(file.totals, file.summary);
}

TEST(Callgrind, CountsAStackOnceForEachCall) {
  constexpr std::uint64_t kPeriod = 1'000'003;
  const CallgrindFile file(Written(MakeStacksReport(), ReportFormat::kCallgrind));
  const auto below = [&](const char* caller, const char* callee) {
    return file.calls.at({caller, callee})[0] / kPeriod;
  };
  // main calls solve: the samples in solve, and in all that it called, itself included.
  EXPECT_EQ(below("main", "solve(int)"), 100u + 300 + 220 + 100);
  EXPECT_EQ(below("solve(int)", "solve(int)"), 300u);
  EXPECT_EQ(below("solve(int)", "kernel(double*, double*)"), 300u + 220);
  EXPECT_EQ(below("main", "load(char const*)"), 30u + 170);
  EXPECT_EQ(below("kernel(double*, double*)", "memcpy"), 50u);
  EXPECT_EQ(file.counts.at({"main", "load(char const*)"}), 200u);
}

TEST(Callgrind, LeavesOutCallsWithoutSamples) {
  const CallgrindFile file(Written(MakeStacksOfMark("load"), ReportFormat::kCallgrind));
  EXPECT_EQ(file.calls,
            (std::map<Edge, Costs>{{{"main", "load(char const*)"}, {200 * 1'000'003}},
                                   {{"load(char const*)", "memcpy"}, {170 * 1'000'003}}}));
}

TEST(Callgrind, CountsRecursionOnce) {
  SpoolBuilder spool = StacksSpool();
  std::uint32_t chain = spool.AddChain(0, 0, 0x403020);
  for (int i = 0; i < 100; ++i) chain = spool.AddChain(chain, 0, 0x403020);
  spool.AddHitsAt(0, 1, 0x403100, 11, chain);
  const CallgrindFile file(Written(MakeAll({&spool}, InliningNames()), ReportFormat::kCallgrind));
  EXPECT_EQ(file.calls.at({"solve(int)", "solve(int)"})[0], (300u + 11) * 1'000'003);
}

TEST(Callgrind, SaysWhatCallsAreAndTheVerdict) {
  const CallgrindFile file(Written(MakeStacksReport(), ReportFormat::kCallgrind));
  EXPECT_THAT(file.descriptions, ::testing::Contains(::testing::HasSubstr("verdict ")));
  EXPECT_THAT(file.descriptions, ::testing::Contains(::testing::HasSubstr("calls= counts")));
}

}  // namespace
}  // namespace csink::testing
