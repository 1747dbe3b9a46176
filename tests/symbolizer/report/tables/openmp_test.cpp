#include "symbolizer/report/tables/openmp.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "symbolizer/report/findings/findings.h"
#include "symbolizer/report/text/text.h"
#include "tests/symbolizer/report/openmp_sample.h"

namespace csink::report {
namespace {

using namespace csink::testing;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

/// The period of a sample is a little more than 1 ms.
constexpr double kNear = 1e-3;

const OpenMpRegion& RegionAt(const Report& report, std::uint32_t line) {
  const auto& regions = report.openmp->regions;
  const auto it = std::find_if(regions.begin(), regions.end(),
                               [&](const OpenMpRegion& region) { return region.line == line; });
  if (it == regions.end()) std::abort();
  return *it;
}

TEST(OpenMpTables, AreMissingWithoutCodeOfOpenMp) {
  const Report report = Make(XzSpool(), XzNames());
  EXPECT_FALSE(report.openmp);
  EXPECT_EQ(WriteOpenMp(report, {}), "");
}

TEST(OpenMpTables, NameRegionsByTheLineOfTheirDirective) {
  const Report report = MakeOpenMpReport(GompProgram().b);
  ASSERT_TRUE(report.openmp);
  ASSERT_THAT(report.openmp->regions, SizeIs(2));
  // The samples of region A are in another function, and those of B behind the first line.
  const OpenMpRegion& a = report.openmp->regions[0];
  EXPECT_EQ(RegionName(a), "solve.c:120");
  EXPECT_EQ(a.function, "main._omp_fn.0");
  EXPECT_EQ(a.in, "main");
  EXPECT_EQ(a.threads, 2u);
  EXPECT_EQ(RegionName(report.openmp->regions[1]), "solve.c:200");
  EXPECT_THAT(report.openmp->runtimes, ElementsAre("libgomp.so.1.0.0"));
}

TEST(OpenMpTables, DivideTheLastBarriersOfGnuAmongRegions) {
  const Report report = MakeOpenMpReport(GompProgram().b);
  const OpenMpRegion& a = RegionAt(report, 120);
  const OpenMpRegion& b = RegionAt(report, 200);
  // The worker lacks 1000 ms in A and nothing in B.
  EXPECT_NEAR(a.work.seconds, 3, 3 * kNear);
  EXPECT_NEAR(a.barrier.seconds, 1, kNear);
  EXPECT_NEAR(a.divided_seconds, 1, kNear);
  EXPECT_NEAR(a.barrier.share, 0.25, kNear);
  EXPECT_LT(a.barrier.low, 0.25);
  EXPECT_GT(a.barrier.high, 0.25);
  // The chain of the main thread tells the region by the address of the call.
  EXPECT_NEAR(b.barrier.seconds, 0.1, kNear);
  EXPECT_EQ(b.divided_seconds, 0);
  EXPECT_NEAR(b.barrier.share, 0.125, kNear);
  EXPECT_NEAR(report.openmp->idle.seconds, 0.5, kNear);
  EXPECT_EQ(report.openmp->barrier_or_idle.seconds, 0);
  EXPECT_EQ(report.openmp->barrier.seconds, 0);
}

TEST(OpenMpTables, KnowTheImbalanceOfWork) {
  const Report report = MakeOpenMpReport(GompProgram().b);
  EXPECT_NEAR(RegionAt(report, 120).Imbalance(), 2.0 / 1.5 - 1, kNear);
  EXPECT_NEAR(RegionAt(report, 200).Imbalance(), 0.4 / 0.35 - 1, kNear);
}

TEST(OpenMpTables, TakeFromIdleTimeOfLlvmWhatAThreadLacks) {
  const Report report = MakeOpenMpReport(LlvmProgram().b);
  ASSERT_TRUE(report.openmp);
  const OpenMpRegion& a = RegionAt(report, 120);
  EXPECT_EQ(a.function, ".omp_outlined.");
  EXPECT_EQ(a.in, "main");
  EXPECT_NEAR(a.barrier.share, 0.25, kNear);
  EXPECT_NEAR(RegionAt(report, 200).barrier.share, 0.125, kNear);
  EXPECT_NEAR(report.openmp->idle.seconds, 0.5, kNear);
}

TEST(OpenMpTables, SayThatABarrierCannotBeToldWithoutChains) {
  const Report report = MakeOpenMpReport(LlvmProgram().b, false);
  ASSERT_TRUE(report.openmp);
  EXPECT_FALSE(report.openmp->has_callers);
  EXPECT_NEAR(report.openmp->barrier_or_idle.seconds, 1.5, 2 * kNear);
  EXPECT_EQ(report.openmp->idle.seconds, 0);
  TextStyle style;
  style.width = 200;
  EXPECT_THAT(WriteOpenMp(report, style), HasSubstr("without call chains (--stacks)"));
}

TEST(OpenMpTables, TellGnuIdleThreadsWithoutChains) {
  // The functions of the runtime are enough. The region of a barrier is not known.
  const Report report = MakeOpenMpReport(GompProgram().b, false);
  ASSERT_TRUE(report.openmp);
  EXPECT_NEAR(report.openmp->idle.seconds, 0.5, kNear);
  EXPECT_NEAR(report.openmp->barrier.seconds, 1.1, 2 * kNear);
}

TEST(OpenMpTables, KnowAThreadOfGnuByTheRegionThatItWasStartedFor) {
  OpenMpProgram p = GompProgram();
  const OpenMpTables by_runtime = *MakeOpenMpReport(p.b).openmp;
  p.b.thread(p.worker).start_routine = OpenMpProgram::kApp + 0x1200;
  p.b.thread(p.worker).start_region = p.app;
  const Report report = MakeOpenMpReport(p.b);
  ASSERT_TRUE(report.openmp);
  EXPECT_NEAR(report.openmp->idle.seconds, by_runtime.idle.seconds, kNear);
  EXPECT_NEAR(report.openmp->barrier.seconds, by_runtime.barrier.seconds, kNear);
  EXPECT_NEAR(report.openmp->outside.seconds, by_runtime.outside.seconds, kNear);
}

TEST(OpenMpTables, TellBarriersAndLocksInsideOfRegions) {
  OpenMpProgram p = GompProgram();
  const auto in_region = p.App(p.Runtime(p.in_main, 0x1010), 0x1120);
  p.InRuntime(1, 0x3010, 40, in_region);
  p.InRuntime(1, 0x6010, 30, in_region);
  p.InRuntime(1, 0x8010, 20, in_region);
  const Report report = MakeOpenMpReport(p.b);
  const OpenMpRegion& a = RegionAt(report, 120);
  EXPECT_NEAR(a.lock.seconds, 0.03, kNear);
  EXPECT_NEAR(a.runtime.seconds, 0.02, kNear);
  // The worker lacks 90 ms more, but its time in barriers stays what it is.
  EXPECT_NEAR(a.barrier.seconds, 1.04, 2 * kNear);
}

TEST(OpenMpTables, CountTasksAsTasksAndNotAsRegions) {
  OpenMpProgram p = GompProgram();
  // In the team's barrier a thread runs a task.
  const auto runs_tasks = p.Runtime(p.Runtime(p.in_start, 0x3010), 0x7010);
  p.InApp(p.worker, 0x1410, 50, runs_tasks);
  const Report report = MakeOpenMpReport(p.b);
  const OpenMpRegion& task = RegionAt(report, 400);
  EXPECT_TRUE(task.is_task);
  EXPECT_NEAR(task.work.seconds, 0.05, kNear);
  EXPECT_EQ(task.barrier.seconds, 0);
  EXPECT_FALSE(RegionAt(report, 120).is_task);
}

TEST(OpenMpTables, AddTheTimeOfBlockedThreads) {
  OpenMpProgram p = GompProgram();
  p.b.header().waits.state = 1;
  spool::WaitSiteRecord site{};
  site.pc = OpenMpProgram::kRuntime + 0x4010;
  site.region = p.runtime;
  site.chain = p.in_start;
  site.thread = p.worker;
  site.kind = spool::WaitKind::kFutex;
  site.system_call = 202;
  site.looks = 10;
  site.blocked_ns = 250'000'000;
  p.b.AddWaitSite(site);
  const Report report = MakeOpenMpReport(p.b);
  EXPECT_TRUE(report.openmp->has_waits);
  EXPECT_NEAR(report.openmp->idle.seconds, 0.75, kNear);
}

TEST(OpenMpFindings, NameTheRegionThatLosesMost) {
  OpenMpProgram p = GompProgram();
  // 100 of 950 samples of region B: more than 10 %, but its interval begins below.
  p.InApp(1, 0x1210, 75, p.Runtime(p.in_main_b, 0x1010));
  p.InApp(p.worker, 0x1210, 75, p.in_start);
  const Report report = MakeOpenMpReport(p.b);
  std::vector<std::string> texts;
  for (const Finding& finding : FindingsOf(report)) texts.push_back(finding.text);
  EXPECT_THAT(texts, Contains("parallel region solve.c:120: 2 threads, 25% of their time in its "
                              "barrier; the busiest works 33% longer than the mean"));
  EXPECT_THAT(texts, Not(Contains(HasSubstr("solve.c:200"))));
}

TEST(WriteOpenMp, HasARowForEachRegion) {
  const Report report = MakeOpenMpReport(GompProgram().b);
  TextStyle style;
  style.width = 160;
  const std::string text = WriteOpenMp(report, style);
  EXPECT_THAT(text, HasSubstr("2 parallel regions, 2 threads, libgomp.so.1.0.0"));
  EXPECT_THAT(text, HasSubstr("   4.00        2  75.0%    25.0%"));
  EXPECT_THAT(text, HasSubstr("solve.c:120  main"));
  EXPECT_THAT(text, HasSubstr("outside  idle 500 ms"));
}

}  // namespace
}  // namespace csink::report
