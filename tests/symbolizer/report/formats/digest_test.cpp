#include <gmock/gmock.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "symbolizer/report/wording/name_id.h"
#include "tests/symbolizer/report/formats/written.h"
#include "tests/symbolizer/report/waiting_sample.h"

namespace csink::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string Digest(const report::Report& report) {
  const std::string text = Written(report, ReportFormat::kDigest);
  EXPECT_LE(text.size(), 6000u);
  return text;
}

nlohmann::json DigestJson(const report::Report& report) {
  const std::string text = Written(report, ReportFormat::kDigestJson);
  EXPECT_LE(text.size(), 6000u);
  return nlohmann::json::parse(text);
}

TEST(Digest, HasFindingsVerdictFunctionsAndWhatToAskNext) {
  const std::string text = Digest(MakeStacksReport());
  EXPECT_THAT(text,
              AllOf(HasSubstr("## Findings\n\n"), HasSubstr("- `verdict "),
                    HasSubstr("| `kernel(double*, double*)` |"), HasSubstr("csink show FILE ID"),
                    HasSubstr("csink run --wait"), Not(HasSubstr("--stacks")),
                    Not(HasSubstr("## Waits")), Not(HasSubstr("Cut:"))));
}

TEST(Digest, InJsonHasTheSame) {
  const report::Report report = MakeStacksReport();
  const nlohmann::json json = DigestJson(report);
  EXPECT_EQ(json["format"], "csink-digest");
  EXPECT_EQ(json["cut"], false);
  ASSERT_EQ(json["functions"].size(), std::min<std::size_t>(10, report.functions.size()));
  const nlohmann::json& first = json["functions"][0];
  const report::FunctionRow& row = report.functions[0];
  EXPECT_EQ(first["name"], row.function);
  EXPECT_EQ(first["id"], report::NameId(row.function));
  EXPECT_EQ(first["module"], row.module);
  EXPECT_NEAR(first["share"], row.events[0].share, 1e-4);
  EXPECT_EQ(first["caller"]["name"], row.callers[0].function);
  EXPECT_EQ(json["waits"], nullptr);
  EXPECT_FALSE(json["facts"].empty());
  EXPECT_EQ(json["next"][0]["command"], "csink show FILE ID");
}

TEST(Digest, HasAnIdBeforeEachName) {
  const SpoolBuilder spool = WaitingSpool();
  const report::Report report = MakeAll({&spool}, WaitingNames());
  EXPECT_THAT(Digest(report), AllOf(HasSubstr(report::NameId("lookup") + " | `lookup` |"),
                                    HasSubstr(report::NameId("table_lock") + " `table_lock`")));
  const nlohmann::json waits = DigestJson(report)["waits"];
  EXPECT_TRUE(std::any_of(waits.begin(), waits.end(), [](const nlohmann::json& wait) {
    return wait["lock"].is_object() && wait["lock"]["id"] == report::NameId("table_lock");
  }));
}

TEST(Digest, NamesTheProgramsOwnLineAndTheFirstCaller) {
  const SpoolBuilder spool = XzSpool();
  report::Report report = MakeAll({&spool}, XzNames());
  report::FunctionRow& row = report.functions[0];
  row.own_file = "/src/own.cpp";
  row.own_line = 41;
  report::NamedCells caller{"Encode(int)", "xz", row.events};
  caller.events[0].samples = row.events[0].samples / 2;
  row.callers.push_back(caller);
  EXPECT_THAT(Digest(report), HasSubstr("| `bt_find_func` | `/src/own.cpp:41` | " +
                                        report::NameId("Encode(int)") + " `Encode(int)` 50% |"));
}

TEST(Digest, HasThePlacesThatWereWaitedInLongest) {
  const SpoolBuilder spool = WaitingSpool();
  const std::string text = Digest(MakeAll({&spool}, WaitingNames()));
  EXPECT_THAT(text, AllOf(HasSubstr("## Waits\n"), HasSubstr("`mutex` n"),
                          HasSubstr("`read of a pipe`"), Not(HasSubstr("csink run --wait"))));
}

TEST(Digest, IsCutButKeepsWhatToAskNext) {
  const SpoolBuilder spool = XzSpool();
  report::Report report = MakeAll({&spool}, XzNames());
  const report::FunctionRow row = report.functions[0];
  report.functions.clear();
  for (int i = 0; i < 40; ++i) {
    report.functions.push_back(row);
    // Combining characters take bytes and no column.
    std::string& name = report.functions.back().function;
    name.clear();
    for (int k = 0; k < 2000; ++k) name += k % 20 == 0 ? "a" : "\xcc\x81";
    report.functions.back().file = "/" + name;
    report.functions.back().line = 7;
  }
  for (int i = 0; i < 20; ++i) report.verdict.notes.push_back(std::string(3000, '|'));
  EXPECT_THAT(Digest(report), AllOf(HasSubstr("\nCut: "), HasSubstr("csink show")));
  const nlohmann::json json = DigestJson(report);
  EXPECT_EQ(json["cut"], true);
  EXPECT_GE(json["functions"].size(), 3u);
  EXPECT_FALSE(json["next"].empty());
}

TEST(Digest, OfNothingSaysSo) {
  report::Report report = MakeEmptyStacks();
  report.functions.clear();
  EXPECT_THAT(Digest(report), AllOf(HasSubstr("No samples."), Not(HasSubstr("csink show"))));
  EXPECT_TRUE(DigestJson(report)["functions"].empty());
}

}  // namespace
}  // namespace csink::testing
