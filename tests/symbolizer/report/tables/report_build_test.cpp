#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "symbolizer/report/tables/report.h"
#include "symbolizer/report/text/text.h"
#include "symbolizer/report/wording/numbers.h"
#include "tests/symbolizer/report/sample_reports.h"

namespace csink::report {
namespace {

using namespace csink::testing;

TEST(BuildReport, AsksOncePerModuleForSortedUniqueOffsets) {
  const FakeResolver names = XzNames();
  ProfileMerger merger;
  AddTo(merger, XzSpool());
  AddTo(merger, XzSpool());
  int requests = 0;
  BuildReport(merger.Finish(), [&](const symbolizer::ModuleRequest& request) {
    ++requests;
    const auto& offsets = request.file_offsets;
    EXPECT_TRUE(std::is_sorted(offsets.begin(), offsets.end()));
    EXPECT_EQ(std::adjacent_find(offsets.begin(), offsets.end()), offsets.end());
    return names(request);
  });
  EXPECT_EQ(requests, 2);
}

TEST(BuildReport, GroupsAFunctionAcrossProcesses) {
  const FakeResolver names = TreeNames();
  const Report report = BuildReport(TreeProfile(), std::cref(names));
  ASSERT_EQ(report.functions.size(), 2u);
  EXPECT_EQ(report.functions[0].function, "ggc_internal_alloc(unsigned long)");
  EXPECT_EQ(report.functions[0].events[0].samples, 38u + 3 * 600);
}

TEST(BuildReport, KeepsFunctionsOfOneNameApart) {
  FakeResolver names;
  names.Add("/usr/lib/x86_64-linux-gnu/libc.so.6", 0x1000, {.end = 0x1100, .name = "helper"});
  names.Add("/usr/lib/x86_64-linux-gnu/libc.so.6", 0x2000, {.end = 0x2100, .name = "helper"});
  const Report report = Make(XzSpool(), names);
  EXPECT_EQ(std::count_if(report.functions.begin(), report.functions.end(),
                          [](const FunctionRow& row) { return row.function == "helper"; }),
            2);
}

TEST(BuildReport, AddsUpAFunctionOfAThreadWhosePlacesAreApart) {
  // All copies of a function of a JIT are one function, wherever they are.
  SpoolBuilder spool;
  const auto region = spool.AddRegion(
      {.path = "", .start = 0x10000, .end = 0x90000, .flags = spool::kRegionAnonymous});
  for (const std::uint64_t pc : {0x11000, 0x12000, 0x13000}) spool.AddHits(region, 1, pc, 5);
  MergeOptions options;
  options.keep_threads = true;
  ProfileMerger merger(options);
  AddTo(merger, spool);
  const Report report = BuildReport(merger.Finish(), [](const symbolizer::ModuleRequest& request) {
    symbolizer::ModuleAnswer answer;
    for (const std::uint64_t offset : request.file_offsets) {
      answer.locations.emplace_back();
      answer.locations.back().function = offset == 0x12000 ? "other" : "copied";
      answer.locations.back().source = symbolizer::NameSource::kPerfMap;
    }
    return answer;
  });
  ASSERT_EQ(report.threads.size(), 1u);
  const auto& functions = report.threads[0].functions;
  ASSERT_EQ(functions.size(), 2u);
  EXPECT_EQ(functions[0].function, "copied");
  EXPECT_EQ(functions[0].events[0].samples, 10u);
  EXPECT_EQ(functions[1].function, "other");
  EXPECT_EQ(functions[1].events[0].samples, 5u);
}

TEST(BuildReport, IsTheSameForTheSameInput) {
  // Equal weights everywhere: only the tie-breakers decide.
  SpoolBuilder forward;
  SpoolBuilder backward;
  for (SpoolBuilder* b : {&forward, &backward}) {
    b->AddRegion({.path = "/lib/x.so", .start = 0x10000, .end = 0x90000});
  }
  for (int i = 0; i < 64; ++i) forward.AddHits(0, 1, 0x10000ull + i * 0x1000, 5);
  for (int i = 63; i >= 0; --i) backward.AddHits(0, 1, 0x10000ull + i * 0x1000, 5);
  TextStyle all;
  all.top = 100;
  all.min_share = 0;
  EXPECT_EQ(WriteText(Make(forward, {}), all), WriteText(Make(backward, {}), all));
}

TEST(BuildReport, DerivesInstructionsPerCycle) {
  const Report report = Make(PmuSpool(), PmuNames());
  ASSERT_EQ(report.derived.size(), 2u);
  EXPECT_EQ(report.derived[0].key, "ipc");
  EXPECT_DOUBLE_EQ(*report.functions[0].derived[0], 0.5);
  EXPECT_DOUBLE_EQ(*report.functions[1].derived[0], 3.0);
}

TEST(BuildReport, SurvivesAResolverThatAnswersTooLittle) {
  const Report report = Make(XzSpool(), {});
  const Report bare = [] {
    ProfileMerger merger;
    AddTo(merger, XzSpool());
    return BuildReport(merger.Finish(), [](const auto&) { return symbolizer::ModuleAnswer{}; });
  }();
  EXPECT_EQ(bare.functions.size(), 2u);  // one row a module
  EXPECT_GT(report.functions.size(), 2u);
}

// --- the verdict ---------------------------------------------------------------

Verdict JudgeSpool(const SpoolBuilder& builder) {
  ProfileMerger merger;
  AddTo(merger, builder);
  return Judge(merger.Finish());
}

/// A shell that ran a program and then executed another one.
Profile ShellProfile(bool with_child) {
  ProfileMerger merger;
  for (std::uint32_t image = 0; image < (with_child ? 3u : 2u); ++image) {
    SpoolBuilder b = XzSpool();
    const bool is_child = image == 2;
    b.SetCommand(image == 0 ? "sh" : "app", image == 0 ? "sh -c script" : "app");
    b.header().exec_generation = is_child ? 0 : image;
    b.header().start_realtime_ns += image;
    if (is_child) b.header().pid += 1;
    AddTo(merger, b);
  }
  return merger.Finish();
}

TEST(BuildReport, NamesATreeAfterTheProgramThatWasStarted) {
  EXPECT_EQ(BuildReport(ShellProfile(true), FakeResolver()).command, "sh -c script");
}

TEST(BuildReport, NamesOneProcessAfterItsLastImage) {
  EXPECT_EQ(BuildReport(ShellProfile(false), FakeResolver()).command, "app");
}

TEST(Judge, TellsOfManyDamagedSpoolsInOneLine) {
  Profile profile = ShellProfile(false);
  const std::size_t notes = Judge(profile).notes.size();
  profile.problems.assign(10'000, "x.csink: cut off");
  const Verdict verdict = Judge(profile);
  EXPECT_EQ(verdict.notes.size(), notes + 11);
  EXPECT_THAT(verdict.notes, ::testing::Contains("damage in 9,990 more places"));
}

TEST(Judge, GradesByTheShareExplained) {
  SpoolBuilder b = XzSpool();  // 3.287 s sampled
  EXPECT_EQ(JudgeSpool(b).grade, Grade::kGood);
  b.header().user_ns = 3'800'000'000;
  EXPECT_EQ(JudgeSpool(b).grade, Grade::kFair);
  EXPECT_NEAR(*JudgeSpool(b).explained_share, 0.865, 0.001);
  b.header().user_ns = 6'000'000'000;
  EXPECT_EQ(JudgeSpool(b).grade, Grade::kPoor);
}

TEST(Judge, NeverSaysMoreThanEverything) {
  SpoolBuilder b = XzSpool();
  b.header().user_ns = 3'000'000'000;  // the kernel's ticks say less than was sampled
  EXPECT_EQ(*JudgeSpool(b).explained_share, 1.0);
}

TEST(Judge, LeavesOutWhatCameBeforeSampling) {
  SpoolBuilder b = XzSpool();
  b.header().user_ns += 2'000'000'000;
  b.header().start_user_ns += 2'000'000'000;  // an earlier image of this process
  EXPECT_GT(*JudgeSpool(b).explained_share, 0.98);
}

TEST(Judge, ComparesATimerWithUserAndSystemTime) {
  SpoolBuilder b = XzSpool();
  b.header().source = spool::Source::kTimer;
  b.header().system_ns = b.header().start_system_ns + 1'000'000'000;
  const Verdict verdict = JudgeSpool(b);
  EXPECT_FALSE(verdict.of_user_time);
  EXPECT_NEAR(verdict.judged_seconds, 4.309, 0.001);
}

TEST(Judge, KnowsKernelTimeByTheModifier) {
  for (const auto& [name, sampled] : {std::pair("task-clock:uk", true),
                                      {"task-clock:k", true},
                                      {"task-clock:u", false},
                                      {"task-clock", false},
                                      {"skx::UNHALTED_CORE_CYCLES:THREAD_P", false}}) {
    SpoolBuilder b = XzSpool();
    SetText(b.event(0).name, name);
    ProfileMerger merger;
    AddTo(merger, b);
    EXPECT_EQ(SystemIsSampled(merger.Finish()), sampled) << name;
  }
}

TEST(Judge, LowersTheGradeForLosses) {
  SpoolBuilder b = XzSpool();
  b.event(0).lost_records = 60;
  EXPECT_EQ(JudgeSpool(b).grade, Grade::kFair);
  b.event(0).lost_records = 600;
  EXPECT_EQ(JudgeSpool(b).grade, Grade::kPoor);
  b.event(0).lost_records = 0;
  b.event(0).unplaced = 600;
  EXPECT_EQ(JudgeSpool(b).grade, Grade::kPoor);
}

TEST(Judge, CallsFewSamplesFair) {
  SpoolBuilder b;
  const auto region = b.AddRegion({.path = "/x", .start = 0x1000, .end = 0x2000});
  b.AddHits(region, 1, 0x1000, 99);
  b.header().user_ns = 100'000'000;  // 1 ms of it before sampling began
  EXPECT_EQ(JudgeSpool(b).grade, Grade::kShort);
  b.header().user_ns = 102'000'000;
  EXPECT_EQ(JudgeSpool(b).grade, Grade::kFair);
}

TEST(Judge, CountsTheCpuTimeOfExecGenerationsOnce) {
  ProfileMerger merger;
  for (std::uint32_t generation = 0; generation < 3; ++generation) {
    SpoolBuilder b = XzSpool();
    b.header().exec_generation = generation;
    b.header().user_ns = (generation + 1) * 3'310'000'000ull;
    b.header().start_user_ns = generation * 3'310'000'000ull;
    AddTo(merger, b);
  }
  const Profile profile = merger.Finish();
  EXPECT_NEAR(TotalCpu(profile).user, 9.93, 1e-6);
  EXPECT_NEAR(Judge(profile).judged_seconds, 9.93, 1e-6);
}

TEST(Judge, MarksATreeDownForProcessesItDidNotSee) {
  Profile profile = TreeProfile();
  profile.tree.user_ns = 9'000'000'000;
  EXPECT_EQ(Judge(profile).grade, Grade::kPoor);
}

TEST(Judge, CountsProcessesOfATreeThatNobodyWaitedFor) {
  Profile profile = TreeProfile();
  const CpuSeconds seen = TotalCpu(profile);
  profile.tree.user_ns = static_cast<std::uint64_t>(seen.user * 1e9);
  profile.tree.system_ns = static_cast<std::uint64_t>(seen.system * 1e9);
  EXPECT_EQ(Judge(profile).unprofiled_seconds, 0);
  EXPECT_EQ(Judge(profile).grade, Grade::kGood);
  profile.tree.counted_ns = profile.tree.user_ns + profile.tree.system_ns + 400'000'000;
  const Verdict verdict = Judge(profile);
  EXPECT_NEAR(verdict.unprofiled_seconds, 0.4, 1e-6);
  EXPECT_EQ(verdict.grade, Grade::kFair);
  EXPECT_THAT(verdict.notes, ::testing::Contains(::testing::HasSubstr("400 ms unknown")));
  profile.tree.counted_ns += 2'000'000'000;
  EXPECT_EQ(Judge(profile).grade, Grade::kPoor);
}

TEST(Judge, IsNotTooShortWhereMostOfTheTreeIsMissing) {
  Profile profile = TreeProfile();
  for (ProcessRow& process : profile.processes) {
    process.user_ns = process.start_user_ns;
    process.system_ns = process.start_system_ns;
  }
  profile.tree.user_ns = profile.tree.system_ns = 0;
  ASSERT_EQ(Judge(profile).grade, Grade::kShort);
  profile.tree.counted_ns = 60'000'000'000;
  EXPECT_EQ(Judge(profile).grade, Grade::kPoor);
}

}  // namespace
}  // namespace csink::report
