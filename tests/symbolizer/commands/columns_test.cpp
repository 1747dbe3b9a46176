#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/fakes/spool_builder.h"
#include "tests/symbolizer/commands/run_tool.h"

namespace csink::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

/// Two events in two modules that are nowhere.
SpoolBuilder Spool() {
  SpoolBuilder b;
  const auto faults = b.AddEvent("page-faults:u", EventClass::kPageFaults, 1);
  const auto foo = b.AddRegion({.path = "/nowhere/libfoo.so", .start = 0x10000, .end = 0x20000});
  const auto bar = b.AddRegion({.path = "/nowhere/libbar.so", .start = 0x30000, .end = 0x40000});
  b.AddHits(foo, 1, 0x11234, 700);
  b.AddHits(bar, 1, 0x31234, 300);
  b.AddHits(bar, 1, 0x31234, 50, faults);
  return b;
}

using Columns = ToolTest;

TEST_F(Columns, MainTableByWhatIsAskedFor) {
  const std::string path = Spool().Write(spools());
  EXPECT_THAT(Csink({"report", path}).out, HasSubstr("function"));
  EXPECT_THAT(Csink({"report", "--by", "modules", "--event=task-clock", path}).out,
              ::testing::ContainsRegex("module +functions +hottest"));
  EXPECT_THAT(Csink({"report", "--by=processes", "--event=task-clock", path}).out,
              HasSubstr("CPU s"));
  EXPECT_EQ(Csink({"report", "--by", "colours", path}).status, 2);
}

TEST_F(Columns, EventsAndOrder) {
  const std::string path = Spool().Write(spools());
  const auto faults = Csink({"report", "--event", "page-faults", path});
  EXPECT_EQ(faults.status, 0) << faults.err;
  EXPECT_THAT(faults.out, Not(HasSubstr("task-clock")));
  const auto both = Csink({"report", "--event=page-faults,task-clock", "--format", "json", path});
  const json report = json::parse(both.out);
  EXPECT_EQ(report["events"][0]["name"], "page-faults:u");
  EXPECT_EQ(report["events"].size(), 2u);
  EXPECT_EQ(report["functions"][0]["module"], "libbar.so");
  const auto sorted = Csink({"report", "--sort", "page-faults", "--format", "json", path});
  EXPECT_EQ(json::parse(sorted.out)["functions"][0]["module"], "libbar.so");
  EXPECT_EQ(json::parse(sorted.out)["events"][0]["name"], "task-clock:u");
}

TEST_F(Columns, CsvHasTheTableThatIsAskedFor) {
  const std::string path = Spool().Write(spools());
  for (const std::string by : {"functions", "lines", "threads", "processes"}) {
    const auto report = Csink({"report", "--format=csv", "--by", by, path});
    EXPECT_EQ(report.status, 0) << report.err;
    const auto exported = Csink({"export", "--format=csv", "--table", by, path}).out;
    EXPECT_EQ(report.out.substr(0, report.out.find('\n')), exported.substr(0, exported.find('\n')))
        << by;
  }
  for (const std::string by : {"modules", "inlines"}) {
    const auto report = Csink({"report", "--format=csv", "--by", by, path});
    EXPECT_EQ(report.status, 2);
    EXPECT_EQ(report.err, "csink: error: --by " + by +
                              " is only possible in text reports; --format csv has functions, "
                              "lines, threads and processes\n");
  }
  const auto table = Csink({"export", "--format=json", "--table", "lines", path});
  EXPECT_EQ(table.status, 2);
  EXPECT_EQ(table.err, "csink: error: --table is only possible with --format=csv\n");
}

TEST_F(Columns, NumbersOutOfRangeAreRefused) {
  const std::string path = Spool().Write(spools());
  const std::string rows = " is not a whole number from 0 to 1000000000 (csink --help)\n";
  for (const std::string word : {"-1", "99999999999999999999", "1.5", "x"}) {
    for (const std::string option : {"--top", "--annotate"}) {
      const auto result = Csink({"report", option + "=" + word, path});
      EXPECT_EQ(result.status, 2) << option << word;
      EXPECT_EQ(result.err, "csink: error: " + option + ": " + word + rows);
    }
    EXPECT_EQ(Csink({"diff", "--top=" + word, path, path}).status, 2) << word;
    EXPECT_EQ(Csink({"top", "--top=" + word, std::to_string(getpid())}).status, 2) << word;
  }
  EXPECT_EQ(Csink({"report", "--top=0", path}).status, 0);
  EXPECT_EQ(Csink({"report", "--annotate", path}).status, 0);
  EXPECT_EQ(Csink({"report", "--annotate=2", path}).status, 0);
  for (const std::string word : {"nan", "-nan", "inf", "-1", "1e7"}) {
    for (const std::string option : {"--fail-if-slower", "--min-share"}) {
      const auto result = Csink({"report", "--baseline", path, option + "=" + word, path});
      EXPECT_EQ(result.status, 2) << option << word;
      EXPECT_THAT(result.err, HasSubstr(option + ": " + word + " is not a number from 0 to 100"));
      EXPECT_EQ(Csink({"diff", option + "=" + word, path, path}).status, 2) << option << word;
    }
    EXPECT_EQ(Csink({"top", "--interval=" + word, std::to_string(getpid())}).status, 2) << word;
  }
}

TEST_F(Columns, WrongOnesAreNamed) {
  const std::string path = Spool().Write(spools());
  const auto event = Csink({"report", "--event", "cycles", path});
  EXPECT_EQ(event.status, 2);
  EXPECT_EQ(
      event.err,
      "csink: error: --event cycles: not sampled; the events are: task-clock:u, page-faults:u\n");
  EXPECT_EQ(Csink({"report", "--sort", "colour", path}).status, 2);
}

TEST_F(Columns, ColourAndWidthFollowTheTerminalOrWhatIsSaid) {
  const std::string path = Spool().Write(spools());
  environment_["TERM"] = "xterm";
  EXPECT_THAT(Csink({"report", path}).out, Not(HasSubstr("\033")));
  EXPECT_THAT(Csink({"report", "--color", "always", path}).out, HasSubstr("\033[1m"));
  EXPECT_THAT(Csink({"report", "--color=never", path}).out, Not(HasSubstr("\033")));
  environment_["COLUMNS"] = "40";
  std::istringstream table(Csink({"report", "--by", "modules", path}).out);
  for (std::string line; std::getline(table, line);) {
    if (line.find('%') != std::string::npos && line.find("libfoo") != std::string::npos) {
      EXPECT_LE(line.size(), 40u) << line;
    }
  }
  for (const char* wrong : {"0", "-3", "x", "99999999999999999999"}) {
    environment_["COLUMNS"] = wrong;
    EXPECT_EQ(Csink({"report", path}).status, 0);
  }
}

}  // namespace
}  // namespace csink::testing
