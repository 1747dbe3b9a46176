#include "symbolizer/report/text/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "symbolizer/report/compare/compare.h"
#include "symbolizer/report/wording/shorten.h"
#include "tests/symbolizer/report/golden.h"
#include "tests/symbolizer/report/sample_reports.h"
#include "tests/symbolizer/report/waiting_sample.h"

namespace csink::report {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;
using namespace csink::testing;

/// The first line that is wider; empty: none is.
std::string WiderLine(const std::string& text, std::size_t width) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (DisplayWidth(line) > width) return line;
  }
  return {};
}

TEST(WriteText, ShowsAProgramWithAStrippedLibrary) {
  ExpectGolden("report_xz.txt", WriteText(Make(XzSpool(), XzNames()), {}));
}

TEST(WriteText, ShowsSeveralEventsSideBySideWithRatios) {
  ExpectGolden("report_pmu.txt", WriteText(Make(PmuSpool(), PmuNames()), {}));
}

TEST(WriteText, ShowsATreeWithARowPerProcess) {
  const FakeResolver names = TreeNames();
  ExpectGolden("report_tree.txt", WriteText(BuildReport(TreeProfile(), std::cref(names)), {}));
}

TextStyle Everything() {
  TextStyle style;
  style.call_tree = true;
  style.per_thread = true;
  return style;
}

TEST(WriteText, ShowsCallersPathsMarksAndThreads) {
  ExpectGolden("report_stacks.txt", WriteText(MakeStacks(), Everything()));
}

TEST(WriteText, ShowsShortThreadsThatShareARecordAsOneRow) {
  SpoolBuilder spool = XzSpool();
  for (const std::uint32_t threads : {0u, 9940u}) {
    const std::uint32_t id = spool.AddThread(5000 + threads, "worker");
    spool.AddHits(0, id, 0x7f2020, 40 + threads);
    if (threads == 0) continue;
    spool.thread(id).flags = spool::kThreadShared;
    spool.thread(id).threads = threads;
  }
  const Report report = Make(spool, XzNames());
  TextStyle style;
  EXPECT_THAT(WriteText(report, style),
              ContainsRegex("9,9[0-9]+ with samples: worker 9,940 short"));
  style.per_thread = true;
  const std::string groups = WriteText(report, style);
  EXPECT_THAT(groups, ContainsRegex("9,941 +worker"));
  EXPECT_THAT(groups, ContainsRegex("9,980 .* 9,940 short threads"));
  style.by = By::kThreads;
  EXPECT_THAT(WriteText(report, style), ContainsRegex("worker, 9,940 short threads"));
}

TEST(WriteText, ShowsWhatThreadsWaitedFor) {
  Report report = Make(WaitingSpool(), WaitingNames());
  ExpectGolden("report_waits.txt", WriteText(report, Everything()));
  for (WaitGroup& group : report.waits->groups) {
    if (!group.is_idle) continue;
    group.name = "threads named pool";
    group.threads = 1;
  }
  EXPECT_THAT(WriteText(report, Everything()), HasSubstr("1 thread named pool: 99% idle"));
}

TEST(WriteText, ShowsWhatChangedSinceAnEarlierRun) {
  Report report = Make(XzSpool(), XzNames());
  SpoolBuilder before = XzSpool();
  before.header().user_ns -= 400'000'000;
  before.AddHits(0, 1, 0x7f7000, 100);  // a function that is gone
  before.AddHits(0, 1, 0x7f2020, 300);
  report.baseline = Compare(report, BaselineOf(Make(before, XzNames())), "before.csink");
  ExpectGolden("report_baseline.txt", WriteText(report, {}));
}

/// 40 ranks in a job of 200 processes, most without samples.
Profile RanksProfile() {
  ProfileMerger merger;
  for (std::uint32_t i = 0; i < 200; ++i) {
    SpoolBuilder b;
    b.SetCommand("wave", "./wave --grid 64");
    b.header().pid = 7000 + i;
    b.header().parent_pid = i == 0 ? 1 : 7000;
    b.header().start_realtime_ns += i;
    b.header().rank_plus_one = i < 40 ? i + 1 : 0;
    const auto app = b.AddRegion({.path = "/home/me/wave", .start = 0x400000, .end = 0x410000});
    if (i < 40) b.AddHits(app, 1, 0x401000, 100 - i);
    AddTo(merger, b);
  }
  return merger.Finish();
}

TEST(WriteText, ShowsTheBusiestOfManyProcessesAndCountsTheRest) {
  const FakeResolver names;
  const std::string text = WriteText(BuildReport(RanksProfile(), std::cref(names)), {});
  EXPECT_THAT(text, HasSubstr("200 processes"));
  EXPECT_THAT(text, ContainsRegex("share  samples  rank   pid  user s  sys s  process"));
  EXPECT_THAT(text, ContainsRegex("3.1%      100     0  7000    1.00   0.02  wave --grid 64"));
  EXPECT_THAT(text, ContainsRegex("3.1%       99     1  7001    1.00   0.02    wave --grid 64"));
  EXPECT_THAT(text, HasSubstr("184 more processes, none above 2.6%, 160 without samples"));
}

/// make and 20 compilers whose commands differ in the file only.
Profile CompilersProfile() {
  ProfileMerger merger;
  for (std::uint32_t i = 0; i < 21; ++i) {
    SpoolBuilder b;
    const std::string file = "file" + std::to_string(i) + ".c";
    const std::string command = "/usr/lib/gcc/cc1 -quiet -imultiarch x86_64-linux-gnu " + file +
                                " -quiet -dumpbase " + file + " -mtune=generic -O2";
    b.SetCommand(i == 0 ? "make" : "cc1", i == 0 ? "make -j4" : command);
    b.header().pid = 9000 + i;
    b.header().parent_pid = i == 0 ? 1 : 9000;
    b.header().start_realtime_ns += i;
    b.header().user_ns = b.header().start_user_ns + 500'000'000;
    const auto app = b.AddRegion({.path = "/usr/lib/gcc/cc1", .start = 0x400000, .end = 0x410000});
    b.AddHits(app, 1, 0x401000, 100 - i);
    AddTo(merger, b);
  }
  return merger.Finish();
}

TEST(WriteText, ShowsWhereCommandsOfAProgramDifferAndSumsThemUp) {
  const FakeResolver names;
  const std::string text = WriteText(BuildReport(CompilersProfile(), std::cref(names)), {});
  EXPECT_THAT(text, HasSubstr("cc1 ... file1.c ...\n"));
  EXPECT_THAT(text, HasSubstr("cc1 ... file15.c ...\n"));
  EXPECT_THAT(text, Not(HasSubstr("imultiarch")));
  EXPECT_THAT(text, HasSubstr("program x processes"));
  // 99 + 98 + ... + 80 of them in 20 processes of 0.5 s.
  EXPECT_THAT(text, ContainsRegex("94.7% +1,790 +10.00 +0.[0-9]+  cc1 x 20\n"));
  EXPECT_THAT(text, ContainsRegex("5.3% +100 +0.50 +0.[0-9]+  make\n"));
}

TEST(WriteText, SumsUpNoSingleProgram) {
  const FakeResolver names;
  EXPECT_THAT(WriteText(BuildReport(RanksProfile(), std::cref(names)), {}),
              Not(HasSubstr("program x processes")));
}

TEST(WriteText, SaysHowManyProcessesASumStandsFor) {
  ProfileMerger merger({.max_processes = 3});
  for (std::uint32_t i = 0; i < 10; ++i) {
    SpoolBuilder b = XzSpool();
    b.header().pid = 100 + i;
    AddTo(merger, b);
  }
  const FakeResolver names = XzNames();
  const std::string text = WriteText(BuildReport(merger.Finish(), std::cref(names)), {});
  EXPECT_THAT(text, HasSubstr("10 processes"));
  EXPECT_THAT(text, HasSubstr("7 more processes"));
  EXPECT_THAT(text, HasSubstr("32,870 samples explain 99.3% of user time"));
}

TEST(WriteText, DoesNotBlameAPauseOnTheSamples) {
  const Report report = MakeStacks();
  ASSERT_TRUE(report.verdict.explained_share);
  EXPECT_GT(*report.verdict.explained_share, 0.99);
  EXPECT_NEAR(report.verdict.judged_seconds, 1, 1e-9);
}

TEST(WriteText, ShowsAProgramThatWasKilled) {
  ExpectGolden("report_killed.txt",
               WriteText(Make(XzSpool(), XzNames(), ProcessState::kKilled), {}));
}

/// XzSpool with another wall time, in nanoseconds.
Report XzOfLength(std::uint64_t wall_ns) {
  SpoolBuilder b = XzSpool();
  b.header().update_monotonic_ns = b.header().start_monotonic_ns + wall_ns;
  return Make(b, XzNames());
}

TEST(WriteText, IsShortForAShortRunWithoutLosses) {
  // 0.4 s without a CPU.
  const Report report = XzOfLength(3'800'000'000);
  const std::string text = WriteText(report, {});
  EXPECT_THAT(text, Not(HasSubstr("precision  ")));
  EXPECT_THAT(text, Not(HasSubstr("wall time")));
  EXPECT_THAT(text, HasSubstr("hottest lines"));
  TextStyle style;
  style.verbose = true;
  const std::string verbose = WriteText(report, style);
  EXPECT_THAT(verbose, HasSubstr("precision  task-clock:u clock"));
  EXPECT_THAT(verbose, HasSubstr("of 3.8 s of wall time"));
}

TEST(WriteText, SaysWhatMattersOfAShortRun) {
  // Half of the wall time was spent without a CPU.
  EXPECT_THAT(WriteText(XzOfLength(6'800'000'000), {}), HasSubstr("of 6.8 s of wall time"));
  // The lines of a hardware event are some instructions behind the cause.
  EXPECT_THAT(WriteText(Make(PmuSpool(), PmuNames()), {}), HasSubstr("precision  cycles:u skid"));
}

TEST(WriteText, DividesTheWallTimeOfThreadsWhereItMatters) {
  Report report = XzOfLength(3'420'000'000);
  WallDivision division;
  division.threads = 2;
  division.wall_seconds = 3.8;
  division.running_seconds = 3.4;
  division.waiting_seconds = 0.4;
  report.verdict.division = division;
  EXPECT_THAT(WriteText(report, {}), Not(HasSubstr("waiting for a processor")));
  TextStyle verbose;
  verbose.verbose = true;
  EXPECT_THAT(WriteText(report, verbose), HasSubstr("400 ms waiting for a processor"));
  // One thread was blocked all the time.
  report.verdict.division->wall_seconds = 7.2;
  report.verdict.division->blocked_seconds = 3.4;
  EXPECT_THAT(WriteText(report, {}), HasSubstr("400 ms waiting for a processor"));
}

TEST(WriteText, SaysThePrecisionOfALongRun) {
  const std::string text = WriteText(XzOfLength(20'000'000'000), {});
  EXPECT_THAT(text, HasSubstr("precision  task-clock:u clock"));
  EXPECT_THAT(text, HasSubstr("of 20 s of wall time"));
}

TEST(WriteText, NamesTheModulesAndPackagesOfFunctionsWithoutNames) {
  Report report = Make(XzSpool(), XzNames());
  ASSERT_EQ(report.verdict.modules_without_symbols.size(), 1u);
  ModuleProblem& module = report.verdict.modules_without_symbols[0];
  EXPECT_NEAR(module.unnamed, 322.0 / 3287, 1e-6);
  EXPECT_NEAR(module.share, 3087.0 / 3287, 1e-6);
  module.package = "liblzma5-dbgsym";
  report.verdict.debug_archive = "(deb http://archive suite main)";
  TextStyle style;
  style.width = 240;
  EXPECT_THAT(WriteText(report, style),
              HasSubstr("functions without names: 9.8% in liblzma.so.5.4.1 (build-id 9c1f0715..); "
                        "install liblzma5-dbgsym (deb http://archive suite main)\n"));
}

TEST(WriteText, IsSilentAboutAModuleWhoseSamplesAllHaveNames) {
  FakeResolver names = XzNames();
  names.Add("/usr/lib/x86_64-linux-gnu/liblzma.so.5.4.1", 0x5000,
            {.end = 0x6000, .name = "lzma_code"});
  const Report report = Make(XzSpool(), names);
  ASSERT_EQ(report.verdict.modules_without_symbols.size(), 1u);
  EXPECT_EQ(report.verdict.modules_without_symbols[0].unnamed, 0);
  EXPECT_THAT(WriteText(report, {}), Not(HasSubstr("without names")));
}

TEST(WriteText, UsesAWiderTerminalAndMarksTitles) {
  TextStyle style;
  style.width = 160;
  style.colour = true;
  const std::string text = WriteText(Make(PmuSpool(), PmuNames()), style);
  EXPECT_THAT(text, HasSubstr("\033[1m"));
  EXPECT_THAT(text, HasSubstr("GeneralMatrixMatrix.h:102"));
}

TEST(WriteText, UsesNoEscapesWithoutColour) {
  EXPECT_THAT(WriteText(Make(PmuSpool(), PmuNames()), {}), Not(HasSubstr("\033")));
}

TEST(WriteText, StaysWithinAnyWidth) {
  const FakeResolver tree_names = TreeNames();
  for (const std::size_t width : {40u, 60u, 80u, 100u, 132u, 200u}) {
    TextStyle style;
    style.width = width;
    EXPECT_EQ(WiderLine(WriteText(Make(XzSpool(), XzNames()), style), width), "");
    EXPECT_EQ(WiderLine(WriteText(Make(PmuSpool(), PmuNames()), style), width), "");
    style.call_tree = style.per_thread = true;
    EXPECT_EQ(WiderLine(WriteText(MakeStacks(), style), width), "");
    const Report tree = BuildReport(TreeProfile(), std::cref(tree_names));
    EXPECT_EQ(WiderLine(WriteText(tree, style), width), "");
  }
}

TEST(WriteText, GivesUpDetailsBeforeTheWidthForEightEvents) {
  SpoolBuilder b = PmuSpool();
  for (int i = 3; i < 8; ++i)
    b.AddEvent("some-event-" + std::to_string(i), EventClass::kOther, 1000);
  const std::string text = WriteText(Make(b, PmuNames()), {});
  EXPECT_EQ(WiderLine(text, 100), "");
  EXPECT_THAT(text, HasSubstr("grid::relax"));
}

TEST(WriteText, ShowsNoMoreRowsThanAsked) {
  TextStyle style;
  style.top = 2;
  const std::string text = WriteText(Make(XzSpool(), XzNames()), style);
  EXPECT_THAT(text, HasSubstr("lzma_lzma_optimum_normal"));
  EXPECT_THAT(text, HasSubstr("5 more functions, each at most 9.8%"));
  EXPECT_THAT(text, Not(HasSubstr("memmove")));
}

TEST(WriteText, SaysSoWhenThereAreNoSamples) {
  EXPECT_THAT(WriteText(Make(SpoolBuilder(), {}), {}), HasSubstr("no samples\n"));
}

TEST(WriteText, LetsNoNameSteerTheTerminal) {
  SpoolBuilder b = XzSpool();
  b.SetCommand("x\033[2J", "x\033]0;title\007 \xff");
  FakeResolver names = XzNames();
  names.Add("/usr/lib/x86_64-linux-gnu/liblzma.so.5.4.1", 0x1000,
            {.end = 0x2000, .name = "evil\033[31m\r\n"});
  const std::string text = WriteText(Make(b, names), {});
  EXPECT_THAT(text, Not(HasSubstr("\033")));
  EXPECT_THAT(text, HasSubstr("evil?[31m??"));
}

TEST(WriteText, SaysTooShortInsteadOfAnImpossibleShare) {
  SpoolBuilder b = XzSpool();
  b.header().user_ns = 24'000'000;
  EXPECT_THAT(WriteText(Make(b, XzNames()), {}),
              HasSubstr("verdict  too short to judge: 3,287 samples in 23 ms"));
}

TEST(WriteText, NamesTheCausesOfLoss) {
  SpoolBuilder b = XzSpool();
  b.header().lost_ns[static_cast<int>(spool::Loss::kBlockedDrain)] = 1'250'000'000;
  b.header().user_ns += 1'250'000'000;
  b.event(0).lost_records = 1240;
  const std::string text = WriteText(Make(b, XzNames()), {});
  EXPECT_THAT(text, HasSubstr("verdict  poor"));
  EXPECT_THAT(text, HasSubstr("1,240 lost (full ring buffers)"));
  EXPECT_THAT(
      text, HasSubstr("not sampled: 1.25 s while ring buffers were full and could not be drained"));
}

TEST(WriteText, NamesSwitchesWhereTheyMayBeTheLoss) {
  SpoolBuilder b = XzSpool();
  b.header().lost_ns[static_cast<int>(spool::Loss::kUnexplained)] = 800'000'000;
  b.header().user_ns += 800'000'000;
  b.header().start_switches = 5;
  b.header().switches = 100'005;
  EXPECT_THAT(
      WriteText(Make(b, XzNames()), {}),
      HasSubstr("not sampled: 800 ms that the kernel may have spent on the event in 100,000"));
  // 40 us for each: that is not it.
  b.header().switches = 20'005;
  EXPECT_THAT(WriteText(Make(b, XzNames()), {}), HasSubstr("ms unknown"));
  // A few of them are those of any program.
  b.header().switches = 10'005;
  b.header().lost_ns[static_cast<int>(spool::Loss::kUnexplained)] = 100'000'000;
  EXPECT_THAT(WriteText(Make(b, XzNames()), {}), HasSubstr("ms unknown"));
}

TEST(WriteText, SumsAnonymousCodeInOneRow) {
  SpoolBuilder b;
  const auto jit =
      b.AddRegion({.start = 0x7000, .end = 0x9000, .flags = spool::kRegionAnonymous, .inode = 0});
  for (int i = 0; i < 50; ++i) b.AddHits(jit, 1, 0x7000 + 7 * i, 10);
  const std::string text = WriteText(Make(b, {}), {});
  EXPECT_THAT(text, ContainsRegex("100.0% +0.4 +500  .code without a file"));
  EXPECT_THAT(text, HasSubstr("100.0% in code without a file"));
}

}  // namespace
}  // namespace csink::report
