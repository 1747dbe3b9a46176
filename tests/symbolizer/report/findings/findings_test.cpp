#include "symbolizer/report/findings/findings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/symbolizer/report/waiting_sample.h"

/// File: each kind of finding by a report with known numbers, and a report just below its
/// threshold.

namespace csink::report {
namespace {

using namespace csink::testing;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

/// A run of 10 s wall time with one clock, `cpu` seconds of CPU time and a sample each ms.
Report RunOf(double cpu) {
  Report report;
  report.wall_seconds = 10;
  report.user_seconds = cpu;
  report.verdict.ledger.cpu_seconds = cpu;
  EventTotals event;
  event.name = "task-clock:u";
  event.kind = EventClass::kClock;
  event.samples = static_cast<std::uint64_t>(cpu * 1000);
  event.weight = static_cast<std::uint64_t>(cpu * 1e9);
  report.verdict.samples = event.samples;
  report.profile.events.push_back(event);
  return report;
}

/// A function with so many of the run's samples, certain up to one point.
FunctionRow Function(const Report& report, const char* name, double share) {
  FunctionRow row;
  row.function = name;
  row.file = "/src/t.cpp";
  row.line = 10;
  Cell cell;
  cell.share = share;
  cell.low = share - 0.01;
  cell.high = share + 0.01;
  cell.samples = static_cast<std::uint64_t>(share * 1000 * report.user_seconds);
  cell.weight = static_cast<std::uint64_t>(share * 1e9 * report.user_seconds);
  row.events.push_back(cell);
  return row;
}

std::vector<std::string> Texts(const Report& report) {
  std::vector<std::string> texts;
  for (const Finding& finding : FindingsOf(report)) texts.push_back(finding.text);
  return texts;
}

TEST(Findings, NameTheFunctionItsLineAndItsCaller) {
  Report report = RunOf(9);
  report.functions.push_back(Function(report, "Rebuild(int)", 0.5));
  NamedCells caller{"Load()", "t", {Cell()}};
  caller.events[0].samples = 4000;
  report.functions[0].callers.push_back(caller);
  const std::vector<Finding> findings = FindingsOf(report);
  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_EQ(findings[0].text,
            "Rebuild(int) has 50.0% +-1.0 of the sampled CPU time (4.5 s), most of it at "
            "t.cpp:10; 89% of it for Load()");
  EXPECT_DOUBLE_EQ(findings[0].seconds, 4.5);
  EXPECT_EQ(findings[0].function, "Rebuild(int)");
  EXPECT_EQ(findings[0].file, "/src/t.cpp");
  EXPECT_EQ(findings[0].line, 10u);
}

TEST(Findings, AFunctionWithoutCertaintyIsNone) {
  Report report = RunOf(9);
  report.functions.push_back(Function(report, "Rebuild", 0.255));
  EXPECT_THAT(FindingsOf(report), IsEmpty());
}

TEST(Findings, TheProgramsOwnLineStandsBeforeAHeaders) {
  Report report = RunOf(9);
  report.functions.push_back(Function(report, "Sort", 0.9));
  report.functions[0].own_file = "/src/own.cpp";
  report.functions[0].own_line = 7;
  EXPECT_THAT(Texts(report), ElementsAre(HasSubstr("at own.cpp:7")));
}

TEST(Findings, ACallerOfASmallPartIsNotNamed) {
  Report report = RunOf(9);
  report.functions.push_back(Function(report, "Sort", 0.9));
  NamedCells caller{"One()", "t", {Cell()}};
  caller.events[0].samples = 4000;
  report.functions[0].callers.push_back(caller);
  EXPECT_THAT(Texts(report), ElementsAre(Not(HasSubstr("One()"))));
}

TEST(Findings, OtherEventsAreNoTime) {
  Report report = RunOf(9);
  report.profile.events[0].kind = EventClass::kCacheMisses;
  report.profile.events[0].name = "cache-misses:u";
  report.functions.push_back(Function(report, "Walk", 0.9));
  EXPECT_THAT(Texts(report), ElementsAre("Walk has 90.0% +-1.0 of cache-misses:u, most of it at "
                                         "t.cpp:10"));
}

/// A function with so much of the CPU time and of the path, certain up to 4 points.
CriticalRow OnPath(const char* name, double cpu, double path) {
  CriticalRow row;
  row.function = name;
  row.file = "/src/t.cpp";
  row.line = 10;
  row.shares.cpu = cpu;
  row.shares.path = path;
  row.shares.path_interval = {std::max(0.0, path - 0.04), path + 0.04};
  return row;
}

/// 3.2 s, with a prediction for each row.
Report CriticalRun(critical::Forecast forecast) {
  Report report = RunOf(9);
  report.critical.emplace();
  report.critical->analysis.forecast = forecast;
  report.critical->analysis.run_seconds = 3.2;
  return report;
}

TEST(Findings, WhatHoldsTheRunUpAndWhatAFasterOneSaves) {
  Report report = CriticalRun(critical::Forecast::kMade);
  CriticalRow row = OnPath("Rebuild(int)", 0.3, 0.61);
  row.shares.has_saving = true;
  row.shares.saving.low = 0.0969;
  row.shares.saving.high = 0.13125;
  report.critical->rows.push_back(row);
  const std::vector<Finding> findings = FindingsOf(report);
  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_EQ(findings[0].text,
            "Rebuild(int) (t.cpp:10) holds the run up for 61% +-4 of its 3.2 s; 20% faster saves "
            "0.31 to 0.42 s (10 to 13%)");
  EXPECT_EQ(findings[0].kind, FindingKind::kCriticalPath);
  EXPECT_NEAR(findings[0].seconds, 0.61 * 3.2, 1e-9);
  EXPECT_EQ(findings[0].function, "Rebuild(int)");
  // Below a tenth of the run, it is none.
  report.critical->rows[0] = OnPath("Rebuild(int)", 0.3, 0.135);
  EXPECT_THAT(FindingsOf(report), IsEmpty());
}

TEST(Findings, APathOverWakersThatNoHookRecordedSaysSo) {
  Report report = CriticalRun(critical::Forecast::kMade);
  report.critical->analysis.path.inferred = 736'000'000;
  report.critical->rows.push_back(OnPath("Rebuild(int)", 0.3, 0.61));
  EXPECT_THAT(Texts(report),
              ElementsAre("Rebuild(int) (t.cpp:10) holds the run up for 61% +-4 of its "
                          "3.2 s; 23% of the path is inferred: only one other thread "
                          "ran when a wait ended"));
  report.critical->analysis.path.inferred = 150'000'000;
  EXPECT_THAT(Texts(report), ElementsAre(Not(HasSubstr("inferred"))));
}

TEST(Findings, CodeBesideThePathSavesNothing) {
  Report report = CriticalRun(critical::Forecast::kMade);
  CriticalRow row = OnPath("Log()", 0.67, 0);
  row.shares.has_saving = true;
  row.shares.saving.high = 0.0049;
  report.critical->rows.push_back(row);
  EXPECT_THAT(Texts(report),
              ElementsAre("Log() (t.cpp:10): 67% of the CPU time, but a faster one saves nothing "
                          "(less than 0.5% of the run)"));
  EXPECT_EQ(FindingsOf(report)[0].kind, FindingKind::kOffPath);
  report.critical->rows[0].shares.saving.high = 0.0051;
  EXPECT_THAT(FindingsOf(report), IsEmpty());
  // Without a prediction nothing is known of it.
  report.critical->rows[0].shares.saving.high = 0;
  report.critical->rows[0].shares.has_saving = false;
  EXPECT_THAT(FindingsOf(report), IsEmpty());
  report.critical->rows[0].shares.has_saving = true;
  report.critical->rows[0].shares.cpu = 0.09;
  EXPECT_THAT(FindingsOf(report), IsEmpty());
}

TEST(Findings, APathWithoutAPrediction) {
  Report report = CriticalRun(critical::Forecast::kUnknownPath);
  report.critical->analysis.path.unknown = 640'000'000;
  report.critical->rows.push_back(OnPath("Rebuild()", 0.3, 0.61));
  EXPECT_THAT(Texts(report),
              ElementsAre("Rebuild() (t.cpp:10) holds the run up for 61% +-4 of its 3.2 s (unknown "
                          "20%); no savings are predicted: more than 10% of the path waits for "
                          "something unknown"));
  EXPECT_EQ(FindingsOf(report)[0].kind, FindingKind::kCriticalUnsaved);
  report.critical->analysis.forecast = critical::Forecast::kReplayDiffers;
  EXPECT_THAT(Texts(report), ElementsAre(HasSubstr("a replay of the unchanged run does not")));
}

TEST(Findings, TimeInTheKernelThatIsNotSampled) {
  Report report = RunOf(4);
  report.system_seconds = 5;
  EXPECT_THAT(Texts(report), ElementsAre(HasSubstr("5 s of 9 s of CPU time was in the kernel")));
  report.system_sampled = true;
  EXPECT_THAT(FindingsOf(report), IsEmpty());
  report.system_sampled = false;
  report.system_seconds = 3.9;
  EXPECT_THAT(FindingsOf(report), IsEmpty());
}

TEST(Findings, AnIdleProgramWithoutLooks) {
  Report report = RunOf(4);
  report.verdict.idle_seconds = 6;
  EXPECT_THAT(Texts(report), ElementsAre(HasSubstr("for 6 s of 10 s at least, nothing of the "
                                                   "program ran: --wait")));
  report.waits.emplace();
  EXPECT_THAT(FindingsOf(report), IsEmpty());
  report.waits.reset();
  report.verdict.idle_seconds = 4.9;
  EXPECT_THAT(FindingsOf(report), IsEmpty());
}

/// 12 s running on 2 processors and `waiting` seconds without one, in 3 threads.
Report Crowded(double waiting, std::optional<OwnWaiting> own) {
  Report report = RunOf(9);
  WallDivision division;
  division.threads = 3;
  division.running_seconds = 12;
  division.waiting_seconds = waiting;
  division.processors = 2;
  division.own_waiting = own;
  report.verdict.division = division;
  return report;
}

TEST(Findings, SayForWhomThreadsWaitedWhereThatIsBounded) {
  EXPECT_THAT(
      Texts(Crowded(4, OwnWaiting{3, 4})),
      ElementsAre(
          "threads waited 4 s for a processor, 25% of the time in which they wanted "
          "to run: at least 3 s of it for the program's own threads, which share 2 processors"));
  EXPECT_THAT(Texts(Crowded(4, OwnWaiting{0, 1})),
              ElementsAre(HasSubstr("at least 3 s of it for other programs or a CPU limit")));
  EXPECT_THAT(Texts(Crowded(4, OwnWaiting{1, 3})),
              ElementsAre(HasSubstr(
                  "1 s to 3 s of it for the program's own threads, which share 2 processors, "
                  "the rest for other programs or a CPU limit")));
  EXPECT_THAT(Texts(Crowded(4, OwnWaiting{0, 4})),
              ElementsAre(EndsWith(
                  "; whether for the program's own threads, which share 2 processors, or for "
                  "other programs is not known")));
  EXPECT_THAT(Texts(Crowded(4, std::nullopt)), ElementsAre(EndsWith("wanted to run")));
  EXPECT_THAT(Texts(Crowded(1.3, OwnWaiting{1, 1})), IsEmpty());
}

TEST(Findings, LocksWithTheirHolders) {
  // main waits for table_lock in lookup, which the loader holds in rebuild.
  Report report = Make(WaitingSpool(), WaitingNames());
  report.wall_seconds = 4;
  std::vector<std::string> locks;
  for (const Finding& finding : FindingsOf(report)) {
    if (finding.kind == FindingKind::kLock) locks.push_back(finding.text);
  }
  EXPECT_THAT(locks, Contains(AllOf(StartsWith("lookup (server.c:"),
                                    HasSubstr(" for mutex table_lock; rebuild holds it "))));
  // In a long run it is nothing.
  report.wall_seconds = 400;
  for (const Finding& finding : FindingsOf(report)) EXPECT_NE(finding.kind, FindingKind::kLock);
}

TEST(Findings, WaitsOfTheMainThreadButNotThoseForThreadsOrOfIdleOnes) {
  Report report = Make(WaitingSpool(), WaitingNames());
  report.wall_seconds = 4;
  std::vector<std::string> texts;
  for (const Finding& finding : FindingsOf(report)) {
    if (finding.kind == FindingKind::kWait) texts.push_back(finding.text);
  }
  ASSERT_FALSE(texts.empty());
  EXPECT_THAT(texts[0], HasSubstr("main thread was blocked "));
  EXPECT_THAT(texts[0], HasSubstr("in read_input (server.c:"));
  EXPECT_THAT(texts[0], HasSubstr(": read of a pipe"));
  for (const std::string& text : texts) {
    EXPECT_THAT(text, Not(HasSubstr("join")));
    EXPECT_THAT(text, Not(HasSubstr("pop_job")));
  }
}

TEST(Findings, ARankThatHasMore) {
  Report report = RunOf(9);
  report.ranks.ranks = 4;
  RankTable table;
  table.total.mean = 2;
  table.total.imbalance = 0.5;
  table.total.differs = true;
  table.total.most = {3, 3.0, {2.9, 3.1}};
  table.total.least = {1, 1.5, {1.4, 1.6}};
  report.ranks.events.push_back(table);
  EXPECT_THAT(Texts(report), ElementsAre("rank 3 has 3 s of CPU time, 50% more than the mean of 4 "
                                         "ranks; rank 1 has 1.5 s"));
  report.ranks.events[0].total.differs = false;
  EXPECT_THAT(FindingsOf(report), IsEmpty());
}

TEST(Findings, TheProfilersOwnWork) {
  Report report = RunOf(9);
  report.verdict.agent_share = 0.02;
  report.verdict.interrupt_share = 0.04;
  EXPECT_THAT(Texts(report), ElementsAre("the profiler itself used 2.0% of the CPU time, its "
                                         "interrupts about 4.0%"));
  report.verdict.interrupt_share = 0.02;
  EXPECT_THAT(FindingsOf(report), IsEmpty());
}

TEST(Findings, TooFewSamplesNameNoFunction) {
  Report report = RunOf(0.029);
  report.functions.push_back(Function(report, "Main", 0.9));
  EXPECT_THAT(Texts(report), ElementsAre(HasSubstr("29 samples: too few to name a function")));
}

TEST(Findings, AreFiveAtMostAndTheLargestFirst) {
  Report report = Crowded(4, OwnWaiting{3, 4});
  report.functions.push_back(Function(report, "Main", 0.9));
  report.verdict.idle_seconds = 6;
  report.system_seconds = 9;
  report.verdict.agent_share = 0.3;
  report.ranks.ranks = 2;
  RankTable table;
  table.total.mean = 5;
  table.total.imbalance = 0.5;
  table.total.differs = true;
  table.total.most = {1, 7.5, {7, 8}};
  report.ranks.events.push_back(table);
  const std::vector<Finding> findings = FindingsOf(report);
  ASSERT_THAT(findings, SizeIs(kMostFindings));
  for (std::size_t i = 1; i < findings.size(); ++i) {
    EXPECT_GE(findings[i - 1].seconds, findings[i].seconds);
  }
}

}  // namespace
}  // namespace csink::report
