#include <gmock/gmock.h>

#include "tests/symbolizer/report/formats/written.h"

namespace csink::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// The cells of the table's rows, without their blanks; the first row has the titles. Cells end at
/// '|' unless a backslash stands before it, as GitHub Flavored Markdown says.
std::vector<std::vector<std::string>> Table(const std::string& text) {
  std::vector<std::vector<std::string>> rows;
  for (const std::string& line : LinesOf(text)) {
    if (line.empty() || line[0] != '|') continue;
    std::vector<std::string> cells(1);
    for (std::size_t i = 1; i < line.size(); ++i) {
      if (line[i] == '|' && line[i - 1] != '\\') {
        cells.emplace_back();
      } else {
        cells.back() += line[i];
      }
    }
    EXPECT_EQ(cells.back(), "") << line;
    cells.pop_back();
    for (std::string& cell : cells) {
      cell.erase(0, cell.find_first_not_of(' '));
      cell.erase(cell.find_last_not_of(' ') + 1);
    }
    rows.push_back(cells);
    EXPECT_EQ(rows.back().size(), rows.front().size()) << line;
  }
  return rows;
}

TEST(Markdown, HasTheProgramsOwnLine) {
  const SpoolBuilder spool = XzSpool();
  auto report = MakeAll({&spool}, XzNames());
  report.functions[0].own_file = "/src/own.cpp";
  report.functions[0].own_line = 41;
  EXPECT_EQ(Table(Written(report, ReportFormat::kMarkdown))[2][6], "`/src/own.cpp:41`");
}

TEST(Markdown, HasTheFunctionsOfTheReport) {
  const SpoolBuilder spool = XzSpool();
  const auto report = MakeAll({&spool}, XzNames());
  const std::string text = Written(report, ReportFormat::kMarkdown);
  const auto rows = Table(text);
  ASSERT_EQ(rows.size(), 2 + report.functions.size());
  EXPECT_THAT(rows[0], ElementsAre("`task-clock:u`", "95 % interval", "time", "samples", "function",
                                   "module", "line"));
  EXPECT_THAT(rows[1], ElementsAre("---:", "---:", "---:", "---:", "---", "---", "---"));
  EXPECT_EQ(rows[2][4], "`bt_find_func`");
  EXPECT_EQ(rows[2][3], "2,012");
  EXPECT_EQ(rows[2][2], "2.01 s");
  EXPECT_THAT(rows[2][6], HasSubstr("lz_encoder_mf.c:"));
  EXPECT_THAT(text, HasSubstr("`verdict "));
}

TEST(Markdown, SumsUpTheRest) {
  const SpoolBuilder spool = XzSpool();
  const auto report = MakeAll({&spool}, XzNames());
  const auto rows = Table(Written(report, ReportFormat::kMarkdown, {.top = 2}));
  ASSERT_EQ(rows.size(), 5u);
  std::uint64_t rest = 0;
  for (std::size_t i = 2; i < report.functions.size(); ++i) {
    rest += report.functions[i].events[0].samples;
  }
  EXPECT_EQ(rows[4][3], std::to_string(rest));
  EXPECT_EQ(rows[4][4], std::to_string(report.functions.size() - 2) + " more functions");
}

TEST(Markdown, HasEveryEvent) {
  const SpoolBuilder spool = PmuSpool();
  const auto report = MakeAll({&spool}, PmuNames());
  const auto rows = Table(Written(report, ReportFormat::kMarkdown));
  ASSERT_EQ(rows.front().size(), 3 * 4 + 3u);
  EXPECT_EQ(rows[0][4], "`instructions:u`");
  EXPECT_EQ(rows[0][6], "events");
  EXPECT_EQ(Table(Written(report, ReportFormat::kMarkdown, {.events = {1}})).front().size(), 7u);
}

TEST(Markdown, LeavesNamesWithoutMarkup) {
  SpoolBuilder spool;
  const auto region = spool.AddRegion({.path = "/bin/app", .start = 0, .end = 0x40000});
  const std::vector<std::string> names = {"a|b",
                                          "a\\|b",
                                          "``x`",
                                          "*x*",
                                          "<img src=x>",
                                          "@team #12",
                                          "`y",
                                          "[a](http://b)",
                                          "\xe2\x80\xae"
                                          "evil"};
  FakeResolver resolver;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::uint64_t at = 0x1000 * (i + 1);
    spool.AddHits(region, 1, at, 100 - static_cast<std::uint32_t>(i));
    resolver.Add("/bin/app", at, {.end = at + 0x100, .name = names[i]});
  }
  const auto rows = Table(Written(MakeAll({&spool}, resolver), ReportFormat::kMarkdown));
  std::vector<std::string> cells;
  for (std::size_t i = 2; i < rows.size(); ++i) cells.push_back(rows[i][4]);
  EXPECT_THAT(cells, ElementsAre("`a\\|b`", "`a\\ \\|b`", "``` ``x` ```", "`*x*`", "`<img src=x>`",
                                 "`@team #12`", "`` `y ``", "`[a](http://b)`",
                                 "`\xef\xbf\xbd"
                                 "evil`"));
}

TEST(Markdown, SaysThatThereIsNothing) {
  SpoolBuilder empty;
  EXPECT_THAT(Written(MakeAll({&empty}, FakeResolver()), ReportFormat::kMarkdown),
              HasSubstr("\nNo samples.\n"));
}

}  // namespace
}  // namespace csink::testing
