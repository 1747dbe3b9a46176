#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profil/reading/model/difference.h"
#include "symbolizer/report/text/text.h"
#include "tests/symbolizer/report/sample_reports.h"

/// File: reports of what came since an earlier state, as `csink top` shows them.

namespace csink::report {
namespace {

using namespace csink::testing;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::uint64_t kSecond = 1'000'000'000;

/// A program with one thread (or so many) after `wall` and `cpu` seconds, 1,000 samples a second.
Profile StateAfter(std::uint64_t wall, std::uint64_t cpu, std::uint32_t threads = 1) {
  SpoolBuilder b;
  b.header().update_monotonic_ns = b.header().start_monotonic_ns + wall * kSecond;
  b.header().start_user_ns = 1'000'000;
  b.header().user_ns = b.header().start_user_ns + cpu * kSecond;
  b.header().system_ns = b.header().start_system_ns = 0;
  b.header().threads_seen = threads;
  b.thread(1).cpu_ns = b.header().user_ns;
  const auto app = b.AddRegion({.path = "/bin/app", .start = 0x400000, .end = 0x500000});
  if (cpu > 0) b.AddHits(app, 1, 0x401000, cpu * 1000);
  ProfileMerger merger;
  AddTo(merger, b, ProcessState::kLive);
  return merger.Finish();
}

Report ReportSince(const Profile& before, Profile now) {
  return BuildReport(Since(std::move(now), before), FakeResolver());
}

TEST(IntervalReport, OfABusyProgramHasNoTimeOffTheCpu) {
  for (const std::uint32_t threads : {1u, 2u}) {
    const Report report = ReportSince(StateAfter(3, 3, threads), StateAfter(4, 4, threads));
    EXPECT_NEAR(report.wall_seconds, 1, 1e-6);
    EXPECT_NEAR(report.user_seconds, 1, 1e-6);
    const std::string verdict = WriteVerdict(report, {});
    EXPECT_THAT(verdict, Not(HasSubstr("not on a CPU"))) << threads;
    EXPECT_THAT(verdict, Not(HasSubstr("before the agent"))) << threads;
  }
}

TEST(IntervalReport, OfAProgramThatSleptSaysSo) {
  const Report report = ReportSince(StateAfter(3, 3), StateAfter(7, 4));
  EXPECT_THAT(WriteVerdict(report, {}), HasSubstr("3 s of 4 s of wall time"));
}

TEST(IntervalReport, LeavesOutImagesThatHadEndedBefore) {
  Profile ended = StateAfter(1, 1);
  ended.processes[0].pid += 1;
  Profile before = StateAfter(3, 3);
  Profile now = StateAfter(4, 4);
  before.processes.push_back(ended.processes[0]);
  now.processes.push_back(ended.processes[0]);
  EXPECT_NEAR(ReportSince(before, std::move(now)).wall_seconds, 1, 1e-6);
}

}  // namespace
}  // namespace csink::report
