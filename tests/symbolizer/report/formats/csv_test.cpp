#include <gmock/gmock.h>

#include <cmath>
#include <fstream>
#include <iterator>
#include <map>

#include "tests/symbolizer/report/formats/csv_text.h"
#include "tests/symbolizer/report/formats/written.h"

namespace csink::testing {
namespace {

using report::CsvTable;
using Row = std::map<std::string, std::string>;

std::vector<Row> Read(const std::string& text) {
  const auto fields = CsvFields(text);
  std::vector<Row> rows;
  for (std::size_t i = 1; i < fields.size(); ++i) {
    EXPECT_EQ(fields[i].size(), fields[0].size());
    Row row;
    for (std::size_t f = 0; f < fields[0].size(); ++f) row[fields[0][f]] = fields[i].at(f);
    EXPECT_EQ(row.size(), fields[0].size()) << "two columns of one name";
    rows.push_back(std::move(row));
  }
  return rows;
}

report::Report Pmu() {
  const SpoolBuilder spool = PmuSpool();
  return MakeAll({&spool}, PmuNames());
}

TEST(Csv, HasTheFunctionsOfTheReport) {
  const auto report = Pmu();
  const auto rows = Read(Written(report, ReportFormat::kCsv));
  ASSERT_EQ(rows.size(), report.functions.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto& row = report.functions[i];
    EXPECT_EQ(rows[i].at("function"), row.function);  // with commas and templates
    EXPECT_EQ(rows[i].at("line"), std::to_string(row.line));
    for (std::size_t e = 0; e < row.events.size(); ++e) {
      const std::string event = report.profile.events[e].name;
      EXPECT_EQ(rows[i].at(event + " samples"), std::to_string(row.events[e].samples));
      EXPECT_EQ(rows[i].at(event + " weight"), std::to_string(row.events[e].weight));
      EXPECT_EQ(std::stod(rows[i].at(event + " share")), row.events[e].share);
      EXPECT_EQ(std::stod(rows[i].at(event + " low")), row.events[e].low);
      EXPECT_EQ(std::stod(rows[i].at(event + " high")), row.events[e].high);
    }
    EXPECT_EQ(std::stod(rows[i].at("ipc")), row.derived[0].value());
    EXPECT_EQ(std::stod(rows[i].at("ipc low")), row.derived_intervals[0].low);
    const double high = row.derived_intervals[0].high;
    EXPECT_EQ(rows[i].at("ipc high").empty(), std::isinf(high));
    if (!std::isinf(high)) {
      EXPECT_EQ(std::stod(rows[i].at("ipc high")), high);
    }
    EXPECT_THAT(rows[i].at("verdict"), ::testing::HasSubstr("samples"));
  }
}

TEST(Csv, HasTheProgramsOwnLineBesideALibrarysLine) {
  auto report = Pmu();
  report.functions[0].own_file = report.lines[0].own_file = "/src/own.cpp";
  report.functions[0].own_line = report.lines[0].own_line = 41;
  for (const CsvTable table : {CsvTable::kFunctions, CsvTable::kLines}) {
    const auto rows = Read(Written(report, ReportFormat::kCsv, {.table = table}));
    EXPECT_EQ(rows[0].at("own_file"), "/src/own.cpp");
    EXPECT_EQ(rows[0].at("own_line"), "41");
    EXPECT_EQ(rows[1].at("own_line"), "");
  }
}

TEST(Csv, HasTheOtherTables) {
  const auto report = Pmu();
  const auto lines = Read(Written(report, ReportFormat::kCsv, {.table = CsvTable::kLines}));
  ASSERT_EQ(lines.size(), report.lines.size());
  EXPECT_EQ(lines[0].at("file"), report.lines[0].file);
  const auto stacks = MakeStacksReport();
  const auto threads = Read(Written(stacks, ReportFormat::kCsv, {.table = CsvTable::kThreads}));
  ASSERT_EQ(threads.size(), 3u);
  EXPECT_EQ(threads[0].at("tid"), "4712");
  EXPECT_EQ(threads[0].at("cpu_seconds"), "0.35");
  const FakeResolver names = TreeNames();
  const auto tree = report::BuildReport(TreeProfile(), std::cref(names));
  const auto processes = Read(Written(tree, ReportFormat::kCsv, {.table = CsvTable::kProcesses}));
  ASSERT_EQ(processes.size(), 4u);
  EXPECT_EQ(processes[2].at("state"), "killed");
  EXPECT_EQ(processes[1].at("command"), "cc1plus -quiet file1.cc");
}

TEST(Csv, TakesTheEventThatWasAskedFor) {
  const auto rows = Read(Written(Pmu(), ReportFormat::kCsv, {.events = {1}}));
  EXPECT_EQ(rows[0].count("cycles:u samples"), 0u);
  EXPECT_EQ(rows[0].count("instructions:u samples"), 1u);
}

TEST(Csv, HasTheColumnsOfTheDocumentation) {
  std::ifstream file(std::string(CSINK_DOCS_DIR) + "/formats.md");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  for (const auto table :
       {CsvTable::kFunctions, CsvTable::kLines, CsvTable::kThreads, CsvTable::kProcesses}) {
    const auto titles = CsvFields(Written(Pmu(), ReportFormat::kCsv, {.table = table}))[0];
    for (const std::string& title : titles) {
      const auto blank = title.find(' ');
      const std::string column = blank == title.npos ? title : "EVENT" + title.substr(blank);
      EXPECT_NE(page.find("`" + column + "`"), page.npos) << column << " is not documented";
    }
  }
}

}  // namespace
}  // namespace csink::testing
