#include <gmock/gmock.h>

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

TEST(Digest, HasFindingsVerdictFunctionsAndWhatToAskNext) {
  const std::string text = Digest(MakeStacksReport());
  EXPECT_THAT(text, AllOf(HasSubstr("## Findings\n\n"), HasSubstr("- `verdict "),
                          HasSubstr("| `kernel(double*, double*)` |"),
                          HasSubstr("csink annotate FUNCTION FILE"),
                          HasSubstr("csink report --stacks FILE"), HasSubstr("csink run --wait"),
                          Not(HasSubstr("## Waits")), Not(HasSubstr("Cut:"))));
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
  EXPECT_THAT(Digest(report),
              HasSubstr("| `bt_find_func` | `/src/own.cpp:41` | `Encode(int)` 50% |"));
}

TEST(Digest, HasThePlacesThatWereWaitedInLongest) {
  const SpoolBuilder spool = WaitingSpool();
  const std::string text = Digest(MakeAll({&spool}, WaitingNames()));
  EXPECT_THAT(text, AllOf(HasSubstr("## Waits\n"), HasSubstr("`mutex` `table_lock`"),
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
  EXPECT_THAT(Digest(report), AllOf(HasSubstr("\nCut: "), HasSubstr("csink annotate")));
}

TEST(Digest, OfNothingSaysSo) {
  report::Report report = MakeEmptyStacks();
  report.functions.clear();
  EXPECT_THAT(Digest(report), AllOf(HasSubstr("No samples."), Not(HasSubstr("annotate"))));
}

}  // namespace
}  // namespace csink::testing
