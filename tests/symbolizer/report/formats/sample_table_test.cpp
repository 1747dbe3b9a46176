#include "symbolizer/report/formats/sample_table.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "symbolizer/report/verdict/explained.h"
#include "tests/symbolizer/report/formats/csv_text.h"
#include "tests/symbolizer/report/formats/written.h"

namespace csink::testing {
namespace {

using nlohmann::json;
using report::CsvTable;
using report::RowForm;
using report::TableRow;

constexpr const char kUtf8Mark[] = "\xef\xbf\xbd";

std::vector<json> Objects(const std::string& text) {
  std::vector<json> objects;
  for (const std::string& line : LinesOf(text)) objects.push_back(json::parse(line));
  return objects;
}

/// The rows of the table as NDJSON has them. Fails the test if CSV has others.
std::vector<json> Rows(const report::Report& report, report::FormatOptions options = {}) {
  options.table = CsvTable::kSamples;
  const auto objects = Objects(Written(report, ReportFormat::kNdjson, options));
  const auto fields = CsvFields(Written(report, ReportFormat::kCsv, options));
  EXPECT_EQ(fields.size(), objects.size() + 1);
  EXPECT_EQ(fields[0], std::vector<std::string>(std::begin(report::kSampleColumns),
                                                std::end(report::kSampleColumns)));
  for (std::size_t i = 0; i < objects.size(); ++i) {
    EXPECT_EQ(objects[i].size(), fields[0].size());
    EXPECT_EQ(fields[i + 1].size(), fields[0].size());
    for (std::size_t column = 0; column < fields[0].size(); ++column) {
      const json& value = objects[i].at(fields[0][column]);
      const std::string& field = fields[i + 1].at(column);
      if (value.is_string()) {
        EXPECT_EQ(value.get<std::string>(), field);
      } else if (value.is_null()) {
        EXPECT_EQ(field, "");
      } else {
        EXPECT_EQ(value, json::parse(field)) << fields[0][column];
      }
    }
  }
  return objects;
}

std::uint64_t Sum(const std::vector<json>& rows, const std::string& event, const char* column) {
  std::uint64_t sum = 0;
  for (const json& row : rows) {
    if (row["event"] == event) sum += row[column].get<std::uint64_t>();
  }
  return sum;
}

TEST(SampleTable, HasARowForEachThreadFunctionLineAndEvent) {
  const auto report = MakeStacksReport();
  const auto rows = Rows(report);
  std::set<std::string> keys;
  for (const json& row : rows) {
    std::string key;
    for (const char* column : {"host", "pid", "generation", "start_time", "tid", "function",
                               "module_path", "build_id", "file", "line", "event"}) {
      key += row[column].dump() + "|";
    }
    EXPECT_TRUE(keys.insert(key).second) << key;
  }
  for (const auto& event : report.profile.events) {
    EXPECT_EQ(Sum(rows, event.name, "samples"), event.samples);
    EXPECT_EQ(Sum(rows, event.name, "weight"), event.weight);
  }
  std::map<std::uint32_t, std::uint64_t> by_thread;
  std::map<std::string, std::uint64_t> by_function;
  for (const json& row : rows) {
    by_thread[row["tid"].get<std::uint32_t>()] += row["samples"].get<std::uint64_t>();
    by_function[row["function"].get<std::string>()] += row["samples"].get<std::uint64_t>();
  }
  for (const auto& thread : report.threads) {
    EXPECT_EQ(by_thread[thread.row->tid], thread.events[0].samples) << thread.row->name;
  }
  EXPECT_EQ(by_thread.size(), report.threads.size());
  for (const auto& function : report.functions) {
    EXPECT_EQ(by_function[function.function], function.events[0].samples) << function.function;
  }
  EXPECT_EQ(by_function.size(), report.functions.size());
}

TEST(SampleTable, GivesTheErrorAndWhatSumsNeed) {
  const SpoolBuilder spool = PmuSpool();
  const auto report = MakeAll({&spool}, PmuNames());
  const auto rows = Rows(report, {.label = "1.0"});
  ASSERT_FALSE(rows.empty());
  for (const json& row : rows) {
    const auto found = std::find_if(report.profile.events.begin(), report.profile.events.end(),
                                    [&](const auto& event) { return row["event"] == event.name; });
    ASSERT_NE(found, report.profile.events.end());
    const auto event = static_cast<std::size_t>(found - report.profile.events.begin());
    const double share = row["share"];
    const double samples = row["effective_samples"];
    EXPECT_EQ(samples, report.effective_samples[event]);
    EXPECT_EQ(row["missing"].get<double>(), report::MissingPart(*found));
    EXPECT_EQ(row["event_samples"], found->samples);
    EXPECT_EQ(row["event_weight"], found->weight);
    EXPECT_DOUBLE_EQ(share, row["weight"].get<double>() / row["event_weight"].get<double>());
    const Interval interval = WithMissing(WilsonInterval(share, samples), row["missing"]);
    EXPECT_DOUBLE_EQ(row["share_low"], interval.low);
    EXPECT_DOUBLE_EQ(row["share_high"], interval.high);
    const double all = static_cast<double>(found->weight) / (1 - row["missing"].get<double>());
    EXPECT_DOUBLE_EQ(row["weight_low"], interval.low * all);
    EXPECT_DOUBLE_EQ(row["weight_high"], interval.high * all);
    EXPECT_EQ(row["unit"], "events");
    EXPECT_EQ(row["label"], "1.0");
    EXPECT_EQ(row["module"], "solver");
    EXPECT_EQ(row["build_id"], "0102");
  }
}

TEST(SampleTable, WidensIntervalsByThrottledTime) {
  SpoolBuilder spool = PmuSpool();
  spool.event(0).due_ns = 1'000'000'000;
  spool.event(0).enabled_ns = spool.event(0).running_ns = 1'000'000'000;
  spool.event(0).throttled_ns = 250'000'000;
  const auto report = MakeAll({&spool}, PmuNames());
  std::size_t seen = 0;
  for (const json& row : Rows(report)) {
    if (row["event"] != "cycles:u") continue;
    ++seen;
    EXPECT_DOUBLE_EQ(row["missing"], 0.25);
    EXPECT_GT(row["share_high"].get<double>() - row["share_low"].get<double>(), 0.25);
    // What was not counted may all be of this row.
    EXPECT_GE(row["weight_high"].get<double>(),
              row["weight"].get<double>() + row["event_weight"].get<double>() / 3);
    EXPECT_LE(row["weight_low"].get<double>(), row["weight"].get<double>());
  }
  EXPECT_GT(seen, 0u);
}

TEST(SampleTable, TellsProcessesAndThreadsApart) {
  const FakeResolver names = TreeNames();
  ProfileMerger merger({.keep_threads = true});
  for (int i = 0; i < 2; ++i) {
    SpoolBuilder spool;
    spool.SetCommand("app", "app --rank");
    spool.header().pid = 40 + i;
    spool.header().start_realtime_ns = 1'772'357'400'123'456'789 + i;
    const auto region = spool.AddRegion({.path = "/bin/app", .start = 0, .end = 0x4000});
    const auto worker = spool.AddThread(70 + i, "worker");
    spool.AddHits(region, 1, 0x1000, 5);
    spool.AddHits(region, worker, 0x1000, 7);
    AddTo(merger, spool);
  }
  const auto report =
      report::BuildReport(merger.Finish(), std::cref(names), {.keep_addresses = true});
  const auto rows = Rows(report);
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[0]["pid"], 40);
  EXPECT_EQ(rows[3]["pid"], 41);
  EXPECT_EQ(rows[0]["start_time"], "2026-03-01T09:30:00.123456Z");
  EXPECT_EQ(rows[0]["generation"], 0);
  EXPECT_EQ(rows[0]["processes"], 1);
  EXPECT_EQ(rows[0]["rank"], nullptr);
  EXPECT_EQ(rows[0]["program"], "app");
  EXPECT_EQ(rows[0]["line"], nullptr);
  EXPECT_EQ(rows[0]["file"], nullptr);
  EXPECT_EQ(rows[0]["label"], nullptr);
  std::map<std::string, int> samples;
  for (const json& row : rows) samples[row["tid"].dump()] += row["samples"].get<int>();
  EXPECT_EQ(samples["70"], 7);
  EXPECT_EQ(samples["71"], 7);
  std::set<std::string> ids;
  for (const json& row : rows) ids.insert(row["profile"].get<std::string>());
  EXPECT_EQ(ids.size(), 1u);
  EXPECT_EQ(ids.begin()->size(), 16u);
}

TEST(SampleTable, WithoutThreadsLeavesTheirColumnsEmpty) {
  const FakeResolver names = TreeNames();
  const auto report =
      report::BuildReport(TreeProfile(), std::cref(names), {.keep_addresses = true});
  const auto rows = Rows(report);
  ASSERT_FALSE(rows.empty());
  for (const json& row : rows) {
    for (const char* column : {"pid", "tid", "thread", "start_time"}) {
      EXPECT_EQ(row[column], nullptr) << column;
    }
    EXPECT_EQ(row["processes"], 4);
    EXPECT_EQ(row["program"], nullptr) << "make and cc1plus";
    EXPECT_EQ(row["merged"], 1);
  }
  EXPECT_EQ(Sum(rows, report.profile.events[0].name, "weight"), report.profile.events[0].weight);
}

TEST(SampleTable, AddsUpFunctionsOfOneNameAndLine) {
  SpoolBuilder spool;
  const auto region = spool.AddRegion({.path = "/bin/app", .start = 0, .end = 0x4000});
  spool.AddHits(region, 1, 0x1000, 5);
  spool.AddHits(region, 1, 0x2000, 7);
  FakeResolver names;
  for (const std::uint64_t start : {0x1000, 0x2000}) {
    names.Add("/bin/app", start,
              {.end = start + 0x100, .name = "Copy", .file = "copy.h", .first_line = 3});
  }
  const auto report = MakeAll({&spool}, names);
  ASSERT_EQ(report.functions.size(), 2u);
  const auto rows = Rows(report);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0]["samples"], 12);
  EXPECT_EQ(rows[0]["line"], 3);
}

TEST(SampleTable, KeepsNamesOrMarksThem) {
  using namespace std::string_literals;
  const std::string name = "op<\"a,b\">\n\r\n\t;'\xe2\x82\xac'"s;
  SpoolBuilder spool;
  spool.SetCommand("app", "app \"x, y\"\nz \x1b[2J\xff");
  const auto region = spool.AddRegion({.path = "/bin/app", .start = 0, .end = 0x4000});
  spool.AddHits(region, 1, 0x1010, 7);
  FakeResolver names;
  names.Add("/bin/app", 0x1000, {.end = 0x1100, .name = name + "\0end"s, .file = name});
  const auto rows = Rows(MakeAll({&spool}, names), {.label = "\xc3\x28"});
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0]["function"], name + kUtf8Mark + "end");
  EXPECT_EQ(rows[0]["label"], std::string(kUtf8Mark) + "(");
  EXPECT_EQ(rows[0]["command"], "app \"x, y\"\nz "s + kUtf8Mark + "[2J" + kUtf8Mark);
}

TEST(SampleTable, WritesTheEventsThatWereAskedFor) {
  const SpoolBuilder spool = PmuSpool();
  const auto report = MakeAll({&spool}, PmuNames());
  std::set<std::string> events;
  for (const json& row : Rows(report, {.events = {1}}))
    events.insert(row["event"].get<std::string>());
  EXPECT_EQ(events, std::set<std::string>{"instructions:u"});
}

TEST(SampleTable, OfNothingIsTheHead) {
  const auto report = MakeAll({}, FakeResolver());
  EXPECT_EQ(Rows(report).size(), 0u);
  EXPECT_EQ(Written(report, ReportFormat::kNdjson), "");
}

TEST(SampleTable, IdIsThatOfTheRun) {
  const auto id = [](std::uint32_t pid, std::uint64_t samples) {
    SpoolBuilder spool;
    spool.header().pid = pid;
    const auto region = spool.AddRegion({.path = "/bin/app", .start = 0, .end = 0x4000});
    spool.AddHits(region, 1, 0x1010, samples);
    return Rows(MakeAll({&spool}, FakeResolver())).at(0)["profile"].get<std::string>();
  };
  EXPECT_EQ(id(7, 10), id(7, 20)) << "a later state of the same run";
  EXPECT_NE(id(7, 10), id(8, 10));
}

TEST(SampleTable, NeedsThreadsAndAddresses) {
  for (const auto& needs : {report::NeedsOf(ReportFormat::kNdjson),
                            report::NeedsOf(ReportFormat::kCsv, CsvTable::kSamples)}) {
    EXPECT_TRUE(needs.addresses);
    EXPECT_TRUE(needs.threads);
    EXPECT_FALSE(needs.callers);
  }
  EXPECT_FALSE(report::NeedsOf(ReportFormat::kCsv).addresses);
}

TEST(SampleTable, HasTheColumnsOfTheDocumentation) {
  std::ifstream file(std::string(CSINK_DOCS_DIR) + "/tables.md");
  std::vector<std::string> documented;
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("## ", 0) == 0) inside = line == "## Columns";
    if (inside && line.rfind("| `", 0) == 0) {
      documented.push_back(line.substr(3, line.find('`', 3) - 3));
    }
  }
  EXPECT_EQ(documented, std::vector<std::string>(std::begin(report::kSampleColumns),
                                                 std::end(report::kSampleColumns)));
}

/// What TableRow writes.
std::string RowsOf(RowForm form, const std::function<void(TableRow&, report::Sink&)>& write) {
  static constexpr const char* kColumns[] = {"a", "b", "c"};
  std::string text;
  report::Sink sink([&](std::string_view bytes) -> Result<void> {
    text += bytes;
    return {};
  });
  TableRow row(form, kColumns);
  row.WriteHead(sink);
  write(row, sink);
  EXPECT_TRUE(sink.Finish());
  return text;
}

TEST(TableRow, SharesTheFieldsBeforeAPosition) {
  const auto write = [](TableRow& row, report::Sink& sink) {
    row.Text("x,\"y\"");
    const auto here = row.Here();
    row.Count(1).Number(0.5).Write(sink);
    row.BackTo(here);
    row.Unknown().Number(1e300).Write(sink);
    row.BackTo({});
    row.Text("").Count(std::numeric_limits<std::uint64_t>::max()).Number(NAN).Write(sink);
  };
  EXPECT_EQ(RowsOf(RowForm::kCsv, write),
            "a,b,c\r\n\"x,\"\"y\"\"\",1,0.5\r\n\"x,\"\"y\"\"\",,1e+300\r\n"
            ",18446744073709551615,\r\n");
  EXPECT_EQ(RowsOf(RowForm::kNdjson, write),
            "{\"a\":\"x,\\\"y\\\"\",\"b\":1,\"c\":0.5}\n"
            "{\"a\":\"x,\\\"y\\\"\",\"b\":null,\"c\":1e+300}\n"
            "{\"a\":null,\"b\":18446744073709551615,\"c\":null}\n");
}

TEST(TableRow, DoesNotWriteInfinity) {
  const auto write = [](TableRow& row, report::Sink& sink) {
    row.Number(std::numeric_limits<double>::infinity()).Number(-0.0).Count(0).Write(sink);
  };
  EXPECT_EQ(RowsOf(RowForm::kCsv, write), "a,b,c\r\n,-0,0\r\n");
}

}  // namespace
}  // namespace csink::testing
