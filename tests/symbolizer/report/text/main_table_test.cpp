#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "symbolizer/report/json/json.h"
#include "symbolizer/report/tables/select_events.h"
#include "symbolizer/report/text/text.h"
#include "symbolizer/report/wording/shorten.h"
#include "tests/symbolizer/report/golden.h"
#include "tests/symbolizer/report/sample_reports.h"

namespace csink::report {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using namespace csink::testing;

constexpr By kAll[] = {By::kFunctions, By::kLines,     By::kModules,
                       By::kThreads,   By::kProcesses, By::kInlines};

TEST(MainTable, SaysThatCodeHasOtherNames) {
  auto report = Make(XzSpool(), XzNames());
  report.functions[0].aliases = 1;
  report.functions[1].aliases = 12;
  TextStyle wide;
  wide.width = 140;
  const auto text = WriteText(report, wide);
  EXPECT_THAT(text, HasSubstr(report.functions[0].function + " (+1 alias)"));
  EXPECT_THAT(text, HasSubstr(report.functions[1].function + " (+12 aliases)"));
  EXPECT_THAT(text, Not(HasSubstr(report.functions[2].function + " (")));
  TextStyle narrow;
  narrow.width = 40;
  for (std::istringstream lines(WriteText(report, narrow)); lines;) {
    std::string line;
    std::getline(lines, line);
    if (line.find('%') == line.npos) continue;
    EXPECT_LE(DisplayWidth(line), 40u) << line;
  }
}

/// 300 functions of one sample each in two libraries, and one function with 20.
Report Flat() {
  SpoolBuilder b;
  FakeResolver names;
  const std::string paths[] = {"/lib/libgegl.so", "/lib/libbabl.so", "/bin/gimp"};
  const std::uint64_t functions[] = {200, 100, 1};
  for (std::uint64_t i = 0; i < 3; ++i) {
    const std::uint64_t start = 0x1000000 * (i + 1);
    const auto module = b.AddRegion({.path = paths[i], .start = start, .end = start + 0x100000});
    for (std::uint64_t f = 0; f < functions[i]; ++f) {
      b.AddHits(module, 1, start + 0x100 * f, i == 2 ? 20 : 1);
      names.Add(paths[i], 0x100 * f,
                {.end = 0x100 * (f + 1), .name = "f" + std::to_string(1000 * i + f)});
    }
  }
  return Make(b, names);
}

TEST(MainTable, SplitsTheRestOfAFlatProfileByModule) {
  TextStyle style;
  style.width = 160;
  // Five functions are always shown: that of gimp, and four of libgegl.so, whose names come first.
  EXPECT_THAT(WriteMain(Flat(), style),
              HasSubstr("rest   by module: libgegl.so 61.3% (196 functions), libbabl.so 31.2% (100 "
                        "functions); --by modules shows whole modules\n"));
  style.by = By::kModules;
  EXPECT_THAT(WriteMain(Flat(), style), Not(HasSubstr("rest ")));
}

TEST(MainTable, DoesNotSplitASmallRest) {
  EXPECT_THAT(WriteMain(Make(XzSpool(), XzNames()), {}), Not(HasSubstr("rest ")));
}

/// Two functions with a third one inlined into both.
Report Inlined() {
  SpoolBuilder b;
  const auto app = b.AddRegion({.path = "/bin/app", .start = 0x400000, .end = 0x500000});
  b.AddHits(app, 1, 0x401000, 500);
  b.AddHits(app, 1, 0x402000, 300);
  b.AddHits(app, 1, 0x403000, 200);
  FakeResolver names;
  const symbolizer::InlineFrame step{"Vector::At(int)", "", "solve.cpp", 12};
  const FakeResolver::Function solve{
      .end = 0x1100, .name = "Solve()", .file = "vec.h", .first_line = 7, .inlined = {step}};
  names.Add("/bin/app", 0x1000, solve);
  names.Add(
      "/bin/app", 0x2000,
      {.end = 0x2100, .name = "Render()", .file = "vec.h", .first_line = 7, .inlined = {step}});
  names.Add("/bin/app", 0x3000, {.end = 0x3100, .name = "main"});
  ProfileMerger merger;
  AddTo(merger, b);
  BuildOptions options;
  options.inlines = true;
  options.detail = symbolizer::Detail::kInlines;
  return BuildReport(merger.Finish(), std::cref(names), options);
}

TextStyle ByStyle(By by) {
  TextStyle style;
  style.by = by;
  return style;
}

TEST(MainTable, EveryKindOfRow) {
  ExpectGolden("report_by_lines.txt", WriteText(Make(XzSpool(), XzNames()), ByStyle(By::kLines)));
  ExpectGolden("report_by_modules.txt",
               WriteText(Make(XzSpool(), XzNames()), ByStyle(By::kModules)));
  const FakeResolver names = TreeNames();
  const Report tree = BuildReport(TreeProfile(), std::cref(names));
  ExpectGolden("report_by_processes.txt", WriteText(tree, ByStyle(By::kProcesses)));
  ExpectGolden("report_by_threads.txt", WriteText(tree, ByStyle(By::kThreads)));
  ExpectGolden("report_by_inlines.txt", WriteText(Inlined(), ByStyle(By::kInlines)));
}

TEST(MainTable, InlinedCodeBelongsToItsFunction) {
  const Report report = Inlined();
  ASSERT_EQ(report.inlines.size(), 2u);
  EXPECT_EQ(report.inlines[0].function, "Vector::At(int)");
  EXPECT_EQ(report.inlines[0].events[0].samples, 800u);
  EXPECT_EQ(report.inlines[0].inlined[0].samples, 800u);
  EXPECT_EQ(report.inlines[0].inlined_in, "Solve()");
  EXPECT_EQ(report.inlines[1].function, "main");
  EXPECT_EQ(report.inlines[1].inlined[0].samples, 0u);
}

TEST(MainTable, ALineBelongsToTheFunctionItWasWrittenIn) {
  const Report report = Inlined();
  ASSERT_EQ(report.lines.size(), 1u) << "inlined into two functions, it is one line";
  EXPECT_EQ(report.lines[0].function, "Vector::At(int)");
  EXPECT_EQ(report.lines[0].events[0].samples, 800u);
  EXPECT_EQ(report.functions[0].function, "Solve()");
  EXPECT_EQ(report.functions[0].file, "vec.h");
}

/// Code of a header of the C++ library that was inlined at `line` of the program's sort.cpp.
FakeResolver::Function SortInlinedAt(const std::string& name, std::uint32_t line) {
  FakeResolver::Function function;
  function.name = name;
  function.file = "/usr/include/c++/12/bits/stl_algo.h";
  function.first_line = 1867;
  function.inlined = {{"std::__sort", "", "/usr/include/c++/12/algorithm", 5},
                      {"std::sort", "", "/home/me/sort.cpp", line}};
  return function;
}

Report Sorting() {
  SpoolBuilder b;
  const auto app = b.AddRegion({.path = "/bin/app", .start = 0x400000, .end = 0x500000});
  b.AddHits(app, 1, 0x401000, 300);
  b.AddHits(app, 1, 0x402000, 700);
  FakeResolver names;
  for (const std::uint64_t begin : {0x1000u, 0x2000u}) {
    auto function = begin == 0x1000 ? SortInlinedAt("First()", 41) : SortInlinedAt("Second()", 42);
    function.end = begin + 0x100;
    names.Add("/bin/app", begin, std::move(function));
  }
  ProfileMerger merger;
  AddTo(merger, b);
  BuildOptions options;
  options.inlines = true;
  options.detail = symbolizer::Detail::kInlines;
  return BuildReport(merger.Finish(), std::cref(names), options);
}

TEST(MainTable, ShowsTheProgramsOwnLineBeforeALibrarysLine) {
  const Report report = Sorting();
  ASSERT_EQ(report.functions.size(), 2u);
  EXPECT_EQ(report.functions[0].function, "Second()");
  EXPECT_EQ(report.functions[0].file, "/usr/include/c++/12/bits/stl_algo.h");
  EXPECT_EQ(report.functions[0].own_file, "/home/me/sort.cpp");
  EXPECT_EQ(report.functions[0].own_line, 42u);
  EXPECT_EQ(report.functions[1].own_line, 41u);
  EXPECT_THAT(WriteMain(report, {}), HasSubstr("sort.cpp:42 (stl_algo.h:1867)"));
  // The lines of the program itself need no other line.
  EXPECT_EQ(Inlined().functions[0].own_line, 0u);
}

TEST(MainTable, KeepsTheOwnLineWhereTheColumnIsNarrow) {
  Report report = Sorting();
  report.functions[0].function = std::string(60, 'f');
  TextStyle style;
  style.width = 100;
  const std::string text = WriteMain(report, style);
  EXPECT_THAT(text, HasSubstr("sort.cpp:42 ("));
}

TEST(MainTable, OffersInlinedFunctionsWhereTheyChangeTheOrder) {
  TextStyle style;
  style.width = 240;
  EXPECT_THAT(WriteText(Inlined(), style),
              HasSubstr("inlined functions change the order: --by inlines shows Vector::At(int) as "
                        "number 1\n"));
  style.by = By::kInlines;
  EXPECT_THAT(WriteText(Inlined(), style), Not(HasSubstr("change the order")));
  EXPECT_THAT(WriteText(Make(XzSpool(), XzNames()), {}), Not(HasSubstr("change the order")));
}

TEST(MainTable, CutsTitlesBetweenWords) {
  Table table;
  table.AddColumn("share", Table::Align::kRight);
  table.AddColumn("instructions", Table::Align::kLeft);
  table.AddRow({"50.0%", "123456789012345"});
  TextStyle style;
  style.width = 12;
  EXPECT_EQ(table.Draw(style, false).substr(0, 6), "share\n");
  style.width = 19;
  EXPECT_EQ(table.Draw(style, false).substr(0, 20), "share  instructions\n");
}

TEST(MainTable, SaysSoWhereNothingIsKnown) {
  const std::string text = WriteMain(Make(XzSpool(), XzNames()), ByStyle(By::kInlines));
  EXPECT_EQ(text, "no functions are known\n");
}

std::size_t LongestLine(const std::string& text) {
  std::size_t longest = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    longest = std::max(longest, DisplayWidth(line));
  }
  return longest;
}

TEST(MainTable, KeepsToAnyWidth) {
  for (const std::size_t width : {20, 21, 33, 47, 59, 60, 80, 120, 240}) {
    for (const By by : kAll) {
      TextStyle style = ByStyle(by);
      style.width = width;
      for (const Report& report : {Make(PmuSpool(), PmuNames()), Make(XzSpool(), XzNames())}) {
        const std::string text = WriteMain(report, style);
        EXPECT_LE(LongestLine(text), std::max<std::size_t>(width, 60)) << width << "\n" << text;
        const std::size_t most = width < 60 ? std::max<std::size_t>(width, 30) : 240;
        EXPECT_LE(LongestLine(text), most) << text;
      }
    }
  }
}

TEST(MainTable, HostileNamesDoNotSteerTheTerminal) {
  SpoolBuilder b;
  b.SetCommand("a\033[2Jb", "a\033[2Jb \xff\xfe \n x");
  SetText(b.event(0).name, "ta\033sk");
  const auto app =
      b.AddRegion({.path = "/bin/\033[31mapp\xff", .start = 0x400000, .end = 0x500000});
  b.AddHits(app, 1, 0x401000, 500);
  FakeResolver names;
  names.Add("/bin/\033[31mapp\xff", 0x1000,
            {.end = 0x1100,
             .name = "f\033]0;x\007" + std::string(70'000, 'x'),
             .file = "\033[2J.cpp",
             .first_line = 3});
  const Report report = Make(b, names);
  for (const By by : kAll) {
    const std::string text = WriteText(report, ByStyle(by));
    EXPECT_THAT(text, Not(HasSubstr("\033"))) << text;
    EXPECT_THAT(text, Not(HasSubstr("\xff")));
    EXPECT_LT(text.size(), 5000u);
  }
}

std::vector<std::string> Shown(const Report& report, const std::string& sort) {
  TextStyle style;
  style.sort = sort;
  std::vector<std::string> names;
  std::istringstream lines(WriteMain(report, style));
  for (std::string line; std::getline(lines, line);) {
    for (const char* name : {"bt_find_func", "memmove", "optimum", "relax", "Eigen", "malloc"}) {
      if (line.find(name) != std::string::npos) names.push_back(name);
    }
  }
  return names;
}

TEST(Sort, PutsTheShownRowsInAnotherOrder) {
  const Report xz = Make(XzSpool(), XzNames());
  EXPECT_THAT(Shown(xz, ""), ElementsAre("bt_find_func", "optimum", "memmove", "malloc"));
  EXPECT_THAT(Shown(xz, "name"), ElementsAre("memmove", "bt_find_func", "optimum", "malloc"));
  const Report pmu = Make(PmuSpool(), PmuNames());
  EXPECT_THAT(Shown(pmu, "cycles:u"), ElementsAre("Eigen", "relax"));
  EXPECT_THAT(Shown(pmu, "instructions"), ElementsAre("relax", "Eigen"));
  EXPECT_THAT(Shown(pmu, "IPC"), ElementsAre("relax", "Eigen"));
  EXPECT_THAT(Shown(pmu, "miss/kinst"), ElementsAre("Eigen", "relax"));
}

TEST(Sort, OfAllRowsForFormatsThatHaveThem) {
  Report report = Make(PmuSpool(), PmuNames());
  SortReport(report, "ipc");
  EXPECT_THAT(report.functions[0].function, HasSubstr("relax"));
  SortReport(report, "name");
  EXPECT_THAT(report.functions[0].function, HasSubstr("Eigen"));
}

TEST(SelectEvents, LeavesTheseColumnsAlone) {
  Report report = Make(PmuSpool(), PmuNames());
  SelectEvents(report, {"instructions", "cycles:u"});
  ASSERT_EQ(report.profile.events.size(), 2u);
  EXPECT_EQ(report.profile.events[0].name, "instructions:u");
  EXPECT_EQ(report.functions[0].events.size(), 2u);
  EXPECT_THAT(report.functions[0].function, HasSubstr("relax"));  // by the first of them
  ASSERT_EQ(report.derived.size(), 1u);
  EXPECT_EQ(report.derived[0].key, "ipc");
  EXPECT_NEAR(*report.functions[0].derived[0], 3.0, 1e-9);
  EXPECT_EQ(report.verdict.samples, 2903u);  // that of all
  const auto json = nlohmann::json::parse(WriteJson(report));
  for (const char* rows : {"functions", "lines", "modules", "processes", "threads"}) {
    for (const auto& row : json[rows]) EXPECT_EQ(row["events"].size(), 2u) << rows;
  }
  report.energy = EnergyShares{};
  report.energy->event = 1;  // of a column that goes
  SelectEvents(report, {"cycles"});
  EXPECT_EQ(report.energy->event, 0u);
  EXPECT_THAT(WriteJson(report), HasSubstr("by_event"));
  EXPECT_EQ(report.profile.events.size(), 1u);
  SelectEvents(report, {"no such"});
  EXPECT_EQ(report.profile.events.size(), 1u);
}

TEST(WhatIsWrongWithColumns, NamesWhatThereIs) {
  const Report report = Make(PmuSpool(), PmuNames());
  const auto wrong = [&](const std::vector<std::string>& events, const std::string& sort) {
    return WhatIsWrongWithColumns(report.profile, events, sort);
  };
  EXPECT_EQ(wrong({"Cycles", "instructions:u"}, "ipc"), "");
  EXPECT_THAT(wrong({"Cycles", "cache-misses:u"}, "ipc"), HasSubstr("no such column"));
  EXPECT_THAT(wrong({"cycles"}, "instructions"), HasSubstr("the columns are: cycles:u"));
  EXPECT_EQ(wrong({}, "name"), "");
  EXPECT_EQ(
      wrong({"faults"}, ""),
      "--event faults: not sampled; the events are: cycles:u, instructions:u, cache-misses:u");
  EXPECT_THAT(wrong({}, "pic"),
              HasSubstr("--sort pic: no such column; the columns are: cycles:u, "));
  EXPECT_THAT(wrong({}, "pic"), HasSubstr("ipc"));
}

}  // namespace
}  // namespace csink::report
