#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "symbolizer/report/tables/report.h"
#include "symbolizer/report/text/text.h"
#include "tests/symbolizer/report/sample_reports.h"

namespace csink::report {
namespace {

using ::testing::HasSubstr;
using namespace csink::testing;

/// A header's line that is inlined at two lines of the program.
Report WithHeader() {
  SpoolBuilder b;
  const auto app = b.AddRegion({.path = "/bin/app", .start = 0x400000, .end = 0x500000});
  b.AddHits(app, 1, 0x401000, 100);
  b.AddHits(app, 1, 0x402000, 300);
  FakeResolver names;
  const auto at = [](std::uint32_t line) {
    return std::vector<symbolizer::InlineFrame>{
        {"std::__sort", "", "/usr/include/c++/12/bits/stl_algo.h", 4820},
        {"std::sort", "", "/home/me/app.cpp", line}};
  };
  const std::string header = "/usr/include/c++/12/bits/stl_algo.h";
  names.Add("/bin/app", 0x1000, {0x2000, "first", header, 1867, at(10)});
  names.Add("/bin/app", 0x2000, {0x3000, "second", header, 1867, at(41)});
  ProfileMerger merger;
  AddTo(merger, b);
  return BuildReport(merger.Finish(), std::cref(names));
}

TEST(LineRows, HaveTheProgramsOwnLineFirst) {
  const Report report = WithHeader();
  ASSERT_EQ(report.lines.size(), 1u);
  EXPECT_EQ(report.lines[0].line, 1867u);
  EXPECT_EQ(report.lines[0].own_file, "/home/me/app.cpp");
  EXPECT_EQ(report.lines[0].own_line, 41u);
  EXPECT_EQ(LineLabel(report.lines[0]), "/home/me/app.cpp:41 (stl_algo.h:1867)");
  TextStyle style;
  EXPECT_THAT(WriteText(report, style), HasSubstr("/home/me/app.cpp:41 (stl_algo.h:1867)"));
  style.by = By::kLines;
  EXPECT_THAT(WriteText(report, style), HasSubstr("/home/me/app.cpp:41 (stl_algo.h:1867)"));
}

TEST(LineRows, OfTheProgramHaveNoOther) {
  LineRow row;
  row.file = "/home/me/./app.cpp";
  row.line = 3;
  EXPECT_EQ(LineLabel(row), "/home/me/app.cpp:3");
}

TEST(FunctionNames, OfThreadsStayDifferent) {
  SpoolBuilder b;
  const auto app = b.AddRegion({.path = "/bin/app", .start = 0x400000, .end = 0x500000});
  FakeResolver names;
  for (std::uint64_t i = 1; i <= 3; ++i) {
    const auto thread = b.AddThread(static_cast<std::uint32_t>(20 + i), "worker");
    b.thread(thread).start_routine = 0x400000 + i * 0x1000;
    b.thread(thread).start_region = app;
    b.AddHits(app, thread, 0x400000 + i * 0x1000, 100 * i);
    names.Add("/bin/app", i * 0x1000,
              {.end = (i + 1) * 0x1000,
               .name = "Pool<std::vector<int, std::allocator<int> > >::Start(int)::{lambda()#" +
                       std::to_string(i) + "}"});
  }
  ProfileMerger merger;
  AddTo(merger, b);
  const Report report = BuildReport(merger.Finish(), std::cref(names));
  const std::string line = WriteThreadLine(report, TextStyle());
  for (const char* number : {"#1", "#2", "#3"}) EXPECT_THAT(line, HasSubstr(number)) << line;
}

TEST(FunctionNames, OfOneTableStayDifferent) {
  SpoolBuilder b;
  const auto app = b.AddRegion({.path = "/bin/app", .start = 0x400000, .end = 0x500000});
  FakeResolver names;
  for (std::uint64_t i = 1; i <= 4; ++i) {
    b.AddHits(app, 1, 0x400000 + i * 0x1000, 100 * i);
    const std::string lambda =
        "solve(std::vector<double, std::allocator<double> >&, int)::{lambda(int)#" +
        std::to_string(i) + "}";
    names.Add(
        "/bin/app", i * 0x1000,
        {.end = (i + 1) * 0x1000, .name = "void Pool::Run<" + lambda + ">(" + lambda + "&&)"});
  }
  ProfileMerger merger;
  AddTo(merger, b);
  const Report report = BuildReport(merger.Finish(), std::cref(names));
  TextStyle style;
  style.width = 90;
  const std::string text = WriteMain(report, style);
  for (const char* number : {"#1", "#2", "#3", "#4"}) EXPECT_THAT(text, HasSubstr(number)) << text;
}

}  // namespace
}  // namespace csink::report
