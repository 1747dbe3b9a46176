#include "symbolizer/commands/load/view.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "tests/fakes/spool_builder.h"
#include "tests/symbolizer/commands/run_tool.h"
#include "tests/symbolizer/report/sample_reports.h"

namespace csink::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

/// Callers, a mark and a second thread, in modules that are nowhere.
SpoolBuilder Spool(std::uint64_t samples = 1000) {
  SpoolBuilder b;
  const auto foo = b.AddRegion({.path = "/nowhere/libfoo.so", .start = 0x10000, .end = 0x20000});
  const auto bar = b.AddRegion({.path = "/nowhere/libbar.so", .start = 0x30000, .end = 0x40000});
  const auto worker = b.AddThread(4712, "worker");
  const auto caller = b.AddChain(0, bar, 0x31000);
  const auto mark = b.AddPhase("solve", 100'000'000);
  b.AddHitsAt(foo, 1, 0x11234, samples, caller);
  b.AddHitsAt(foo, worker, 0x11234, 100, caller, mark);
  return b;
}

using Shown = ToolTest;

TEST_F(Shown, CallersAreThereUnlessFlat) {
  const std::string path = Spool().Write(spools());
  EXPECT_THAT(Csink({"report", path}).out, HasSubstr("from [libbar.so+0xfff]"));
  EXPECT_THAT(Csink({"report", path}).out, Not(HasSubstr("hottest call paths")));
  EXPECT_THAT(Csink({"report", "--stacks", path}).out, HasSubstr("hottest call paths"));
  EXPECT_THAT(Csink({"report", "--flat", path}).out, Not(HasSubstr("libbar")));
}

TEST_F(Shown, ThreadsOnRequest) {
  const std::string path = Spool().Write(spools());
  EXPECT_THAT(Csink({"report", path}).out, Not(HasSubstr("CPU s  threads")));
  const auto result = Csink({"report", "--per-thread", path});
  EXPECT_THAT(result.out, ::testing::ContainsRegex("9.1% +100 +0.00 +1  worker 4712"));
}

TEST_F(Shown, LinesAreLookedUpWithInlinedFunctions) {
  for (const auto& [by, detail] : {std::pair{report::By::kLines, symbolizer::Detail::kInlines},
                                   {report::By::kFunctions, symbolizer::Detail::kLines}}) {
    ProfileMerger merger;
    AddTo(merger, Spool());
    tool::View view;
    view.by = by;
    view.quiet = true;
    int asked = 0;
    (void)tool::MakeReport(merger.Finish(), view, {},
                           [&, detail = detail](const symbolizer::ModuleRequest& request) {
                             ++asked;
                             EXPECT_EQ(request.detail, detail);
                             symbolizer::ModuleAnswer answer;
                             answer.locations.resize(request.file_offsets.size());
                             return answer;
                           });
    EXPECT_GT(asked, 0);
  }
}

TEST_F(Shown, InlinedFunctionsAreLookedUpWhereALineOfALibraryIsHot) {
  for (const auto& [file, detail] :
       {std::pair{"/usr/include/c++/12/vector", symbolizer::Detail::kInlines},
        {"/home/me/app.cpp", symbolizer::Detail::kLines}}) {
    ProfileMerger merger;
    AddTo(merger, Spool());
    tool::View view;
    view.own_lines = true;
    view.quiet = true;
    std::optional<symbolizer::Detail> last;
    const report::Report report = tool::MakeReport(
        merger.Finish(), view, {}, [&, file = file](const symbolizer::ModuleRequest& request) {
          last = request.detail;
          symbolizer::ModuleAnswer answer;
          for (std::size_t i = 0; i < request.file_offsets.size(); ++i) {
            symbolizer::Location location;
            location.function = "work";
            location.source = symbolizer::NameSource::kSymbol;
            location.file = file;
            location.line = 7;
            location.inlined = {{"std::vector::at", "", "/home/me/app.cpp", 12}};
            answer.locations.push_back(location);
          }
          return answer;
        });
    EXPECT_EQ(last, detail) << file;
    ASSERT_FALSE(report.functions.empty());
    EXPECT_EQ(report.functions[0].own_line, detail == symbolizer::Detail::kInlines ? 12u : 0u);
  }
}

TEST_F(Shown, OneMarkAlone) {
  const std::string path = Spool().Write(spools());
  EXPECT_THAT(Csink({"report", path}).out, HasSubstr("after mark"));
  const auto result = Csink({"report", "--phase", "solve", "--format", "json", path});
  ASSERT_EQ(result.status, 0) << result.err;
  const json report = json::parse(result.out);
  EXPECT_EQ(report["events"][0]["samples"], 100);
  EXPECT_EQ(report["only_phase"], "solve");
  const auto missing = Csink({"report", "--phase", "sovle", path});
  EXPECT_EQ(missing.status, 1);
  EXPECT_EQ(missing.err,
            "csink: error: no samples after a mark named sovle; the marks are: solve\n");
}

class Baseline : public ToolTest {
 protected:
  std::string Before(std::uint64_t user_ns) {
    SpoolBuilder before = Spool(800);
    before.header().user_ns = user_ns;
    std::filesystem::create_directory(folder_ + "/before");
    return before.Write(folder_ + "/before");
  }
};

TEST_F(Baseline, MayBeASpoolAFolderOrAReport) {
  const std::string spool = Before(1'000'000'000);
  const std::string json_file = folder_ + "/before.json";
  ASSERT_EQ(Csink({"report", "--format", "json", "-o", json_file, spool}).status, 0);
  const std::string now = Spool().Write(spools());
  std::vector<json> baselines;
  for (const std::string& file : {spool, folder_ + "/before", json_file}) {
    const auto result = Csink({"report", "--baseline", file, "--format", "json", now});
    ASSERT_EQ(result.status, 0) << result.err;
    baselines.push_back(json::parse(result.out)["baseline"]);
    EXPECT_EQ(baselines.back()["file"], file);
    baselines.back().erase("file");
  }
  EXPECT_EQ(baselines[0], baselines[1]);
  EXPECT_EQ(baselines[0], baselines[2]);
  EXPECT_NEAR(baselines[0]["ratio"], 1.022 / 1.02, 1e-9);
}

TEST_F(Baseline, ComesFromTheEnvironmentToo) {
  environment_["CSINK_BASELINE"] = Before(1'000'000'000);
  EXPECT_THAT(Csink({"report", Spool().Write(spools())}).out, HasSubstr("baseline  CPU time"));
}

TEST_F(Baseline, ExitsWithThreeWhenAskedToAndSlower) {
  const std::string before = Before(480'000'000);  // and 20 ms of system time: half
  const std::string now = Spool().Write(spools());
  EXPECT_EQ(Csink({"report", "--baseline", before, now}).status, 0);
  const auto slower = Csink({"report", "--baseline", before, "--fail-if-slower", "50", now});
  EXPECT_EQ(slower.status, 3);
  EXPECT_THAT(slower.err, HasSubstr("by 104.4% of CPU time, at least +67% (95% certain); at most "
                                    "50.0% is allowed"));
  EXPECT_EQ(Csink({"report", "--baseline", before, "--fail-if-slower", "105", now}).err, "");
  // One run a side differs by 22 % by chance.
  const auto unclear = Csink({"report", "--baseline", before, "--fail-if-slower", "90", now});
  EXPECT_EQ(unclear.status, 0);
  EXPECT_THAT(unclear.err, HasSubstr("unclear: slower than"));
  EXPECT_THAT(unclear.err,
              HasSubstr("one run a side: only more than +132% is proven; 5 runs a side "
                        "would prove +103%"));
  EXPECT_EQ(Csink({"report", "--fail-if-slower", "5", now}).status, 2);
}

TEST_F(Baseline, WhatIsNoneIsNamedAndTheReportWritten) {
  const std::string now = Spool().Write(spools());
  std::ofstream(folder_ + "/x.json") << "{}";
  std::filesystem::create_directory(folder_ + "/empty");
  for (const std::string name : {"/x.json", "/empty", "/missing"}) {
    const auto result =
        Csink({"report", "--baseline", folder_ + name, "--fail-if-slower", "5", now});
    EXPECT_EQ(result.status, 1) << name;
    EXPECT_THAT(result.err, HasSubstr("baseline " + folder_ + name + ": "));
    EXPECT_THAT(result.out, HasSubstr("libfoo.so"));
  }
}

TEST_F(Baseline, ThatOpensButGivesAReadErrorIsNamed) {
  // Nothing is mapped at address 0.
  const std::string now = Spool().Write(spools());
  const auto compared = Csink({"report", "--baseline", "/proc/self/mem", now});
  EXPECT_EQ(compared.status, 1);
  EXPECT_THAT(compared.err,
              HasSubstr("baseline /proc/self/mem: cannot be read (Input/output error)"));
  EXPECT_THAT(compared.out, HasSubstr("libfoo.so"));
  const auto changed = Csink({"diff", "/proc/self/mem", now});
  EXPECT_EQ(changed.status, 1);
  EXPECT_THAT(changed.err, HasSubstr("/proc/self/mem: cannot be read (Input/output error)"));
}

TEST_F(Baseline, AtExitCostsTheComparisonAlone) {
  const auto result = Csink({"report", "--at-exit", "--stacks", "--per-thread", "--baseline",
                             folder_ + "/missing", Spool().Write(spools())});
  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(result.err, HasSubstr("missing: cannot be read"));
  EXPECT_THAT(result.err, HasSubstr("hottest call paths"));
  EXPECT_EQ(CountFiles(spools()), 0u);
}

}  // namespace
}  // namespace csink::testing
